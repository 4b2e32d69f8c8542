from itertools import permutations
from random import Random

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


def test_exactly_the_solutions_are_right():
    for seed in range(100):
        problem = MatrixPermutation_BothDiagonalOne.draw(Random(seed), N=3)
        for a in permutations(range(3)):
            for b in permutations(range(3)):
                new = [[problem.A[i][j] for j in b] for i in a]
                right = new[0][0] + new[1][1] + new[2][2] + new[0][2] + new[2][0] == 5
                answer = " ".join(map(str, a)) + "\n" + " ".join(map(str, b))
                assert problem.verify(f"<answer>{answer}</answer>").correct == right
