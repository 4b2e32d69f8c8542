import pytest

from rlve.envs.number_theory.congruent_equation import CongruentEquation

PROBLEM = CongruentEquation(MAX_A_B=10, A=3, B=7, reference_answer=5)


def test_schedule():
    levels = [CongruentEquation.level(d) for d in (0, 1, 2, 10)]
    assert levels == [[{"MAX_A_B": n}] for n in (5, 10, 20, 5120)]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("5", 1.0),
        ("12", 0.0),  # a solution, but not the smallest
        ("4", -0.5),
        ("0", -1.0),
        ("-2", -1.0),
        ("x = 5", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_smallest_solution():
    for seed in range(150):
        p = CongruentEquation.generate(difficulty=seed % 8, seed=seed)
        assert p.reference_answer == next(x for x in range(1, p.B) if p.A * x % p.B == 1)
        assert p.verify(f"<answer>{p.reference()}</answer>").correct
