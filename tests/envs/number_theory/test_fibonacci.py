import pytest

from rlve.envs.number_theory.fibonacci import Fibonacci, term

PROBLEM = Fibonacci(MAX_N=3, N=3, A1=2, A2=9999, P=3, Q=4, reference_answer=5)  # 29997 + 8


def test_schedule():
    assert [Fibonacci.level(d) for d in (0, 1, 2, 20)] == [
        [{"MAX_N": 3}],
        [{"MAX_N": 6}],
        [{"MAX_N": 12}],
        [{"MAX_N": 3145728}],
    ]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("5", 1.0),
        ("0005", 1.0),
        ("30005", 0.0),  # not reduced
        ("-9995", 0.0),
        ("5.0", -1.0),
        ("5 mod 10000", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_follows_the_recurrence():
    for seed in range(120):
        p = Fibonacci.generate(difficulty=seed % 9, seed=seed)
        a, b = p.A1, p.A2
        for _ in range(p.N - 1):
            a, b = b, p.P * b + p.Q * a  # exact integers, reduced at the end
        assert p.reference_answer == a % 10_000
    assert [term(N, 1, 1, 1, 1) for N in range(1, 8)] == [1, 1, 2, 3, 5, 8, 13]
