from itertools import permutations

from rlve.envs.grids.matrix_permutation_both_diagonal_one import MatrixPermutation_BothDiagonalOne

PROBLEM = MatrixPermutation_BothDiagonalOne(
    N=3, A=[[0, 1, 0], [1, 0, 1], [1, 0, 1]], reference_answer="1 0 2\n0 1 2"
)
EVEN = MatrixPermutation_BothDiagonalOne(
    N=4,
    A=[[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]],
    reference_answer="0 2 3 1\n0 2 3 1",
)
SCHEDULE = {0: {"N": [3, 4]}, 1: {"N": [5, 6]}, 20: {"N": [43, 44]}}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["1 0 2\n0 1 2", "2 0 1\n\n2 1 0"],
            (3 / 5) ** 5: ["0 1 2\n1 0 2"],
            (2 / 5) ** 5: ["0 1 2\n0 1 2"],
            -0.5: ["1 0 2\n0 1 1", "1 0 2\n0 1", "2 1 3\n1 2 3"],
            -1.0: ["1 0 2 0 1 2", "1 0 2\n0 1 2\n0", "1 0 2\n0 one 2", ""],
        },
    ),
    (EVEN, {1.0: ["0 2 3 1\n0 2 3 1", "1 2 3 0\n0 2 3 1"], (4 / 8) ** 5: ["0 1 2 3\n0 1 2 3"]}),
]
SAMPLES = {100: {"N": 3}}


def test_exactly_the_solutions_are_right(problem):
    for a in permutations(range(problem.N)):
        for b in permutations(range(problem.N)):
            new = [[problem.A[i][j] for j in b] for i in a]
            yield (a, b), all(new[i][i] and new[i][-1 - i] for i in range(problem.N))
