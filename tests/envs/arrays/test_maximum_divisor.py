from random import Random

import pytest

from rlve.envs.arrays.maximum_divisor import MaximumDivisor

PROBLEM = MaximumDivisor(N=4, K=5, A=[7, 4, 9, 1], reference_answer=3)


def test_schedule():
    sizes = [MaximumDivisor.level(d)[0]["N"] for d in (0, 1, 2, 3, 4, 5, 12, 20)]
    assert sizes == [3, 5, 8, 11, 15, 20, 94, 426]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("3", 1.0),
        ("2", (2 / 3) ** 5),
        ("1", (1 / 3) ** 5),
        ("4", -0.5),
        ("9" * 900, -0.5),
        ("0", -1.0),
        ("-3", -1.0),
        ("3.0", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_answer_is_the_largest_that_gives_enough():
    for seed in range(150):
        problem = MaximumDivisor.sample(Random(seed), N=3 + seed % 40)
        enough = [
            L
            for L in range(1, max(problem.A) + 1)
            if sum(int(a / L) for a in problem.A) >= problem.K
        ]
        assert problem.reference_answer == max(enough)
