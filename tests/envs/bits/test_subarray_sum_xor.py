from functools import reduce
from operator import xor

from rlve.envs.bits.subarray_sum_xor import SubarraySumXor

# 1 ^ 3 ^ 2 ^ 4 ^ 5 ^ 6
PROBLEM = SubarraySumXor(N=3, A=[1, 3, 2], reference_answer=7)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {1.0: ["7", "07"], 0.0: ["6", "-7", "9" * 1000], -1.0: ["7.0", "1 3 2", ""]}
SAMPLES = {120: {"N": range(3, 18)}}


def test_answer_is_that_of_all_subarrays(problem):
    N = problem.N
    assert all(0 <= x <= N for x in problem.A)
    sums = [sum(problem.A[i : j + 1]) for i in range(N) for j in range(i, N)]
    assert problem.reference_answer == reduce(xor, sums)
