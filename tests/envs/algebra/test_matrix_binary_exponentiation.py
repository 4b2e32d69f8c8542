from random import Random

import pytest

from rlve.envs.algebra.matrix_binary_exponentiation import Matrix_BinaryExponentiation

PROBLEM = Matrix_BinaryExponentiation(
    N=2,
    MAX_K=2,
    K=2,
    A=[[1, 100], [0, 100]],
    gold_answer=[[1, 100], [0, 0]],
    reference_answer="1 100\n0 0",
)


def test_schedule():
    for d in (0, 1, 20):
        assert Matrix_BinaryExponentiation.level(d) == [
            {"N": N, "MAX_K": 2 ** (d + 1)} for N in (2, 3, 5, 10)
        ]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("1 100\n0 0", 1.0),
        ("\n1  100\n\n0 0\n", 1.0),
        ("1 10100\n0 10000", (1 / 2) ** 5),  # not reduced; the first two entries are
        ("2 200\n1 1", 0.0),
        ("1 100 0 0", -1.0),
        ("1 100", -1.0),
        ("1 100\n0 0\n0 0", -1.0),
        ("1 100\n0", -1.0),
        ("1, 100\n0, 0", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_power_is_the_repeated_product():
    for seed in range(100):
        problem = Matrix_BinaryExponentiation.sample(
            Random(seed), N=(2, 3, 5)[seed % 3], MAX_K=2 ** (1 + seed % 5)
        )
        assert 2 <= problem.K <= problem.MAX_K
        size = range(problem.N)
        power = problem.A
        for _ in range(problem.K - 1):
            power = [
                [sum(power[i][k] * problem.A[k][j] for k in size) % 10000 for j in size]
                for i in size
            ]
        assert problem.gold_answer == power
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
