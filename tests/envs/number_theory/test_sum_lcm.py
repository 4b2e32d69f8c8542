from math import gcd

from rlve.envs.number_theory.sum_lcm import SumLCM

PROBLEM = SumLCM(MAX_N_M=5, N=2, M=3, reference_answer=16)  # 1 + 2 + 3 + 2 + 2 + 6
SCHEDULE = {d: {"MAX_N_M": n} for d, n in ((0, 5), (1, 7), (2, 10), (3, 15), (4, 22), (20, 14053))}
REWARDS = {
    1.0: ["16"],
    (16 / 17) ** 10: ["17"],
    (1 / 2) ** 10: ["8"],
    0.0: ["9" * 1000],
    -1.0: ["0", "-16", "1.6e1", ""],
}
SAMPLES = {150: {"MAX_N_M": range(2, 77)}}


def test_answer_sums_over_all_pairs(problem):
    pairs = [(i, j) for i in range(1, problem.N + 1) for j in range(1, problem.M + 1)]
    assert problem.reference_answer == sum(i * j // gcd(i, j) for i, j in pairs)
