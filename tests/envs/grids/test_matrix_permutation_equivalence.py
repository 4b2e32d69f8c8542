from itertools import permutations

from rlve.envs.grids.matrix_permutation_equivalence import MatrixPermutationEquivalence

PROBLEM = MatrixPermutationEquivalence(
    MAX_N_M=3,
    N=2,
    M=3,
    A=[[1, 0, 0], [0, 1, 1]],
    B=[[1, 0, 1], [0, 1, 0]],
    reference_answer="1 0\n1 0 2",
)
SCHEDULE = {0: {"MAX_N_M": 3}, 1: {"MAX_N_M": 4}, 7: {"MAX_N_M": 10}, 20: {"MAX_N_M": 23}}
REWARDS = {
    1.0: ["1 0\n1 0 2", "1 0\n\n2 0 1"],
    (4 / 6) ** 5: ["0 1\n0 1 2"],
    0.0: ["0 1\n1 0 2"],
    -0.5: ["0 0\n1 0 2", "1 0\n1 0", "1 0\n1 2 3", "1 0 2\n1 0"],
    -1.0: ["1 0 1 0 2", "1 0\n1 0\n2", "1 0\n1 zero 2", ""],
}
SAMPLES = {100: {"MAX_N_M": 3}}


def test_exactly_the_solutions_are_right(problem):
    cells = [(i, j) for i in range(problem.N) for j in range(problem.M)]
    for a in permutations(range(problem.N)):
        for b in permutations(range(problem.M)):
            yield (a, b), not any(problem.A[a[i]][b[j]] - problem.B[i][j] for i, j in cells)
