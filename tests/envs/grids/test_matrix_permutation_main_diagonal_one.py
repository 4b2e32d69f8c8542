from itertools import permutations
from random import Random

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


def test_exactly_the_solutions_are_right():
    for seed in range(100):
        problem = MatrixPermutation_MainDiagonalOne.draw(Random(seed), N=3)
        for a in permutations(range(3)):
            for b in permutations(range(3)):
                right = problem.A[a[0]][b[0]] and problem.A[a[1]][b[1]] and problem.A[a[2]][b[2]]
                answer = " ".join(map(str, a)) + "\n" + " ".join(map(str, b))
                assert problem.verify(f"<answer>{answer}</answer>").correct == bool(right)
