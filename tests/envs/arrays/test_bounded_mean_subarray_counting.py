from fractions import Fraction
from random import Random

from rlve.envs.arrays.bounded_mean_subarray_counting import BoundedMeanSubarrayCounting

PROBLEM = BoundedMeanSubarrayCounting(N=3, A=[0, 3, 1], K=2, reference_answer=2)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 10: {"N": 16}, 20: {"N": 50}}
REWARDS = {1.0: ["2"], 0.5**10: ["1", "4"], 0.0: ["0"], -1.0: ["-2", "two", "2 2", ""]}


def test_count_is_that_of_all_subarrays():
    assert PROBLEM.reference_answer == count(PROBLEM)
    for seed in range(200):
        problem = BoundedMeanSubarrayCounting.sample(Random(seed), N=3 + seed % 12)
        assert problem.reference_answer == count(problem)


def count(problem):
    A = problem.A
    stretches = [A[i:j] for i in range(len(A)) for j in range(i + 1, len(A) + 1)]
    return sum(Fraction(sum(part), len(part)) >= problem.K for part in stretches)
