from math import gcd

from rlve.envs.number_theory.sum_phi_interval import SumPHIInterval

PROBLEM = SumPHIInterval(MAX_DELTA=5, L=4, R=6, reference_answer=7)  # 2 + 1 + 4
SCHEDULE = {
    d: {"MAX_DELTA": n} for d, n in ((0, 5), (1, 6), (2, 7), (3, 8), (4, 9), (5, 10), (20, 62))
}
REWARDS = {
    1.0: ["7"],
    (7 / 8) ** 10: ["8"],
    (5 / 7) ** 10: ["5"],
    0.0: ["0", "9" * 1000],
    -1.0: ["-7", "7.0", ""],
}
SAMPLES = {150: {"MAX_DELTA": range(1, 20)}}


def test_answer_counts_what_is_not_coprime(problem):
    L, R = problem.L, problem.R
    assert 1 <= L <= problem.MAX_DELTA**2
    assert 1 <= R - L <= problem.MAX_DELTA
    total = sum(gcd(a, x) > 1 for x in range(L, R + 1) for a in range(1, x + 1))
    assert problem.reference_answer == total
