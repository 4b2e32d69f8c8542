from fractions import Fraction

from rlve.envs.arrays.bounded_mean_subarray_counting import BoundedMeanSubarrayCounting

PROBLEM = BoundedMeanSubarrayCounting(N=3, A=[0, 3, 1], K=2, reference_answer=2)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 10: {"N": 16}, 20: {"N": 50}}
REWARDS = {1.0: ["2"], 0.5**10: ["1", "4"], 0.0: ["0"], -1.0: ["-2", "two", "2 2", ""]}
SAMPLES = {200: {"N": range(3, 15)}}


def test_count_is_that_of_all_subarrays(problem):
    A = problem.A
    stretches = [A[i:j] for i in range(len(A)) for j in range(i + 1, len(A) + 1)]
    assert problem.reference_answer == sum(
        Fraction(sum(part), len(part)) >= problem.K for part in stretches
    )
