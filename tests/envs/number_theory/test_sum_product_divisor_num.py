from functools import cache

from rlve.envs.number_theory.sum_product_divisor_num import SumProductDivisorNum

PROBLEM = SumProductDivisorNum(MAX_N_M=5, N=2, M=3, reference_answer=14)  # 1+2+2 + 2+3+4
SCHEDULE = {d: {"MAX_N_M": n} for d, n in ((0, 5), (1, 7), (2, 10), (3, 15), (4, 22), (20, 14053))}
REWARDS = {
    1.0: ["14"],
    (14 / 15) ** 10: ["15"],
    (1 / 2) ** 10: ["7"],
    0.0: ["9" * 1000],
    -1.0: ["0", "-14", "14.0", ""],
}
SAMPLES = {150: {"MAX_N_M": range(2, 27)}}


def test_answer_sums_over_all_pairs(problem):
    products = [i * j for i in range(1, problem.N + 1) for j in range(1, problem.M + 1)]
    assert problem.reference_answer == sum(map(divisors, products))


@cache
def divisors(n):
    return sum(n % t == 0 for t in range(1, n + 1))
