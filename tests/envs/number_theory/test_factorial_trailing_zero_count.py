from math import factorial

from rlve.envs.number_theory.factorial_trailing_zero_count import FactorialTrailingZeroCount

PROBLEM = FactorialTrailingZeroCount(MAX_N_K=10, N=6, K=4, reference_answer=2)  # 720 = 45 * 4^2
SCHEDULE = {d: {"MAX_N_K": n} for d, n in enumerate([10, 15, 22, 33, 49])}
REWARDS = {1.0: ["2", "02"], 0.0: ["1", "-2"], -1.0: ["2.0", "2 zeros", ""]}
SAMPLES = {150: {"difficulty": range(8)}}


def test_gold_counts_the_zeros(problem):
    number, zeros = factorial(problem.N), 0
    while number % problem.K == 0:
        number //= problem.K
        zeros += 1
    assert problem.reference_answer == zeros
