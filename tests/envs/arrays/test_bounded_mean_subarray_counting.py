from fractions import Fraction
from random import Random

import pytest

from rlve.envs.arrays.bounded_mean_subarray_counting import BoundedMeanSubarrayCounting

PROBLEM = BoundedMeanSubarrayCounting(N=3, A=[0, 3, 1], K=2, reference_answer=2)


def test_schedule():
    sizes = [BoundedMeanSubarrayCounting.level(d)[0]["N"] for d in (0, 1, 2, 10, 20)]
    assert sizes == [3, 4, 5, 16, 50]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("2", 1.0),
        ("1", 0.5**10),
        ("4", 0.5**10),
        ("0", 0.0),
        ("-2", -1.0),
        ("two", -1.0),
        ("2 2", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_count_is_that_of_all_subarrays():
    assert PROBLEM.reference_answer == count(PROBLEM)
    for seed in range(200):
        problem = BoundedMeanSubarrayCounting.sample(Random(seed), N=3 + seed % 12)
        assert problem.reference_answer == count(problem)


def count(problem):
    A = problem.A
    stretches = [A[i:j] for i in range(len(A)) for j in range(i + 1, len(A) + 1)]
    return sum(Fraction(sum(part), len(part)) >= problem.K for part in stretches)
