from functools import cache

from rlve.envs.number_theory.sum_divisor_num import Sum_DivisorNum

PROBLEM = Sum_DivisorNum(MAX_R=10, R=6, L=4, reference_answer=9)  # 3 + 2 + 4
SCHEDULE = {d: {"MAX_R": n} for d, n in ((0, 10), (1, 15), (2, 22), (3, 33), (4, 49), (20, 31618))}
REWARDS = {
    1.0: ["9"],
    (9 / 10) ** 10: ["10"],
    (6 / 9) ** 10: ["6"],
    0.0: ["9" * 1000],
    -1.0: ["0", "-9", "9.0", ""],
}
SAMPLES = {200: {"MAX_R": range(2, 802, 4)}}


def test_answer_counts_the_divisors(problem):
    assert 1 <= problem.L <= problem.R <= problem.MAX_R
    assert problem.R >= 2
    assert problem.reference_answer == sum(map(divisors, range(problem.L, problem.R + 1)))


@cache
def divisors(n):
    return sum(n % t == 0 for t in range(1, n + 1))
