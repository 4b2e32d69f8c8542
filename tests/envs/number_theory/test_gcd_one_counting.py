from rlve.envs.number_theory.gcd_one_counting import GCDOne_Counting

PROBLEM = GCDOne_Counting(MAX_N_M=5, N=3, M=4, reference_answer=9)
SCHEDULE = {d: {"MAX_N_M": n} for d, n in enumerate([5, 7, 10, 15, 22, 33, 49])}
REWARDS = {
    1.0: ["9"],
    (9 / 10) ** 10: ["10"],
    (8 / 9) ** 10: ["8"],
    (1 / 9) ** 10: ["1"],
    0.0: ["9" * 1000],
    -1.0: ["0", "-9", "9.0", ""],
}
SAMPLES = {120: {"MAX_N_M": range(2, 42)}}


def test_answer_counts_the_coprime_pairs(problem):
    pairs = [(x, y) for x in range(1, problem.N + 1) for y in range(1, problem.M + 1)]
    assert problem.reference_answer == sum(not share_a_divisor(x, y) for x, y in pairs)


def share_a_divisor(x, y):
    return any(x % t == y % t == 0 for t in range(2, min(x, y) + 1))
