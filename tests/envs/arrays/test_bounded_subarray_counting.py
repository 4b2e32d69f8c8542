from rlve.envs.arrays.bounded_subarray_counting import BoundedSubarrayCounting

PROBLEM = BoundedSubarrayCounting(N=2, M=2, A=[1, 2], K=3, reference_answer=7)
SCHEDULE = {0: {"N": 3, "M": 2}, 1: {"N": 4, "M": 3}, 2: {"N": 5, "M": 4}, 20: {"N": 50, "M": 45}}
REWARDS = {1.0: ["7"], (6 / 7) ** 10: ["6"], 0.5**10: ["14"], 0.0: ["0"], -1.0: ["-7", "7.", ""]}
SAMPLES = {150: {"N": range(1, 7), "M": range(2, 6)}}


def test_count_is_that_of_all_subarrays(problem):
    B = [value for _ in range(problem.M) for value in problem.A]
    sums = [sum(B[i:j]) for i in range(len(B)) for j in range(i + 1, len(B) + 1)]
    assert problem.reference_answer == sum(total <= problem.K for total in sums)
