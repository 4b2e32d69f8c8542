from functools import reduce
from operator import xor

from rlve.envs.bits.subarray_xor_sum import SubarrayXorSum

# 1 + 3 + 2 + 2 + 1 + 0
PROBLEM = SubarrayXorSum(N=3, A=[1, 3, 2], reference_answer=9)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {1.0: ["9", "+9"], 0.0: ["8", "-9", "9" * 1000], -1.0: ["9.0", "1 3 2", ""]}
SAMPLES = {120: {"N": range(3, 18)}}


def test_answer_is_that_of_all_subarrays(problem):
    N = problem.N
    assert all(0 <= x <= N for x in problem.A)
    xors = [reduce(xor, problem.A[i : j + 1]) for i in range(N) for j in range(i, N)]
    assert problem.reference_answer == sum(xors)
