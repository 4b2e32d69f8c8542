from itertools import product

from rlve.envs.puzzles.kakurasu import Kakurasu

PROBLEM = Kakurasu(MAX_N_M=3, N=2, M=3, A=[3, 0], B=[1, 1, 0], reference_answer="110\n000")
SCHEDULE = {0: {"MAX_N_M": 3}, 1: {"MAX_N_M": 4}, 20: {"MAX_N_M": 23}}
REWARDS = {
    1.0: ["110\n000", " 110\n\n000 "],
    (3 / 5) ** 10: ["110\n001"],
    (2 / 5) ** 10: ["001\n000"],  # A[1] is right too, but B[1], B[2] and B[3] are not
    0.0: ["111\n111"],
    -1.0: ["110", "110\n000\n000", "110\n00", "110\n002", "1 1 0\n0 0 0", ""],
}
SAMPLES = {100: {"MAX_N_M": [2, 3]}}


def test_exactly_the_grids_with_these_sums_are_right(problem):
    N, M = problem.N, problem.M
    for ones in product((0, 1), repeat=N * M):
        cell = dict(zip(product(range(1, N + 1), range(1, M + 1)), ones, strict=True))
        solved = all(
            sum(j * cell[i, j] for j in range(1, M + 1)) == problem.A[i - 1]
            for i in range(1, N + 1)
        ) and all(
            sum(i * cell[i, j] for i in range(1, N + 1)) == problem.B[j - 1]
            for j in range(1, M + 1)
        )
        text = "\n".join("".join(map(str, ones[k : k + M])) for k in range(0, N * M, M))
        yield text, solved
