from functools import cache

from rlve.envs.bits.sum_xor_divisor_num import SumXorDivisorNum

# i XOR j XOR 4 runs four times through 4, 5, 6, 7, which have 3, 2, 4, 2 divisors
PROBLEM = SumXorDivisorNum(MAX_N_M=5, N=3, M=3, X=4, reference_answer=44)
SCHEDULE = {d: {"MAX_N_M": n} for d, n in ((0, 5), (1, 7), (2, 10), (3, 15), (20, 14053))}
REWARDS = {1.0: ["44"], 0.5**10: ["22", "88"], 0.0: ["0"], -1.0: ["-44", "44.0", "44 44", ""]}
SAMPLES = {120: {"MAX_N_M": range(5, 64)}}


def test_sum_is_that_of_all_pairs(problem):
    values = [i ^ j ^ problem.X for i in range(problem.N + 1) for j in range(problem.M + 1)]
    assert problem.reference_answer == sum(map(divisors, values))


@cache
def divisors(n):
    return sum(n % t == 0 for t in range(1, n + 1))
