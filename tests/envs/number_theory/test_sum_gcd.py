from rlve.envs.number_theory.sum_gcd import SumGCD

PROBLEM = SumGCD(MAX_N_M=5, N=2, M=4, K=3, reference_answer=22)  # 6 * 1 + 2 * 2^3
SCHEDULE = {d: {"MAX_N_M": n} for d, n in ((0, 5), (1, 7), (2, 10), (3, 15), (4, 22), (20, 14053))}
REWARDS = {
    1.0: ["22"],
    (22 / 23) ** 10: ["23"],
    (1 / 2) ** 10: ["11"],
    0.0: ["9" * 1000],
    -1.0: ["0", "-22", "22.0", ""],
}
SAMPLES = {150: {"MAX_N_M": range(2, 27)}}


def test_answer_sums_over_all_pairs(problem):
    assert 1 <= problem.K <= 5
    pairs = [(i, j) for i in range(1, problem.N + 1) for j in range(1, problem.M + 1)]
    assert problem.reference_answer == sum(gcd(i, j) ** problem.K for i, j in pairs)


def gcd(i, j):
    return max(t for t in range(1, min(i, j) + 1) if i % t == j % t == 0)
