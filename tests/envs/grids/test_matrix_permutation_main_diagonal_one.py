from itertools import permutations

from rlve.envs.grids.matrix_permutation_main_diagonal_one import MatrixPermutation_MainDiagonalOne

PROBLEM = MatrixPermutation_MainDiagonalOne(
    N=3, A=[[0, 1, 0], [1, 0, 0], [0, 1, 1]], reference_answer="0 1 2\n1 0 2"
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 7: {"N": 10}, 20: {"N": 23}}
REWARDS = {
    1.0: ["0 1 2\n1 0 2", "2 1 0\n\n2 0 1"],
    (1 / 3) ** 5: ["0 1 2\n0 1 2", "0 1 2\n0 2 1"],
    0.0: ["0 1 2\n2 1 0"],
    -0.5: ["0 1 1\n1 0 2", "0 1 2\n1 0", "1 2 3\n2 1 3"],
    -1.0: ["0 1 2 1 0 2", "0 1 2\n1 0 2\n0", "0 1 2\n1 0 two", ""],
}
SAMPLES = {100: {"N": 3}}


def test_exactly_the_solutions_are_right(problem):
    for a in permutations(range(problem.N)):
        for b in permutations(range(problem.N)):
            yield (a, b), all(problem.A[i][j] for i, j in zip(a, b, strict=True))
