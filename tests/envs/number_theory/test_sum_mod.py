from rlve.envs.number_theory.sum_mod import SumMOD

# The remainders are 0 1 2 1 0 and 0 1 0: 4 * 1, less 1 * 1 for i = j = 2.
PROBLEM = SumMOD(MAX_N_M=5, N=5, M=3, reference_answer=3)
ZERO = SumMOD(MAX_N_M=5, N=3, M=3, reference_answer=0)
SCHEDULE = {d: {"MAX_N_M": n} for d, n in ((0, 5), (1, 7), (2, 10), (3, 15), (4, 22), (20, 14053))}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["3"],
            (3 / 4) ** 10: ["4"],
            (2 / 3) ** 10: ["2"],
            0.0: ["0", "9" * 1000],
            -1.0: ["-3", "3.0", ""],
        },
    ),
    (ZERO, {1.0: ["0"], 0.0: ["1"], -1.0: ["-1"]}),  # where the sum is zero
]
SAMPLES = {150: {"MAX_N_M": range(3, 53)}}


def test_answer_sums_over_all_pairs_of_different_divisors(problem):
    N, M = problem.N, problem.M
    assert 3 <= min(N, M) <= max(N, M) <= problem.MAX_N_M
    total = 0
    for i in range(1, N + 1):
        total += sum((N % i) * (M % j) for j in range(1, M + 1) if j != i)
    assert problem.reference_answer == total
