from math import comb

from rlve.envs.combinatorics.fixed_mod_k_selection_counting import FixedModK_Selection_Counting

PROBLEM = FixedModK_Selection_Counting(MAX_N=8, MAX_K=5, N=2, K=3, R=1, MOD=10, reference_answer=1)
SCHEDULE = {
    0: {"MAX_N": 8, "MAX_K": 5},
    1: {"MAX_N": 16, "MAX_K": 6},
    2: {"MAX_N": 32, "MAX_K": 7},
    20: {"MAX_N": 8 * 2**20, "MAX_K": 62},
}
REWARDS = {1.0: ["1"], 0.0: ["0", "9"], -0.5: ["10", "21", "-9"], -1.0: [""]}
SAMPLES = {200: {"MAX_N": range(1, 10), "MAX_K": range(2, 9)}}


def test_sum_of_binomial_coefficients(problem):
    objects = problem.N * problem.K
    total = sum(comb(objects, size) for size in range(problem.R, objects + 1, problem.K))
    assert problem.reference_answer == total % problem.MOD
