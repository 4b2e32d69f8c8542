from itertools import combinations
from random import Random

from rlve.envs.grids.minimum_sum_difference_submatrix import (
    MinimumSumDifferenceSubmatrix,
    best_choice,
    difference_sum,
)

PROBLEM = MinimumSumDifferenceSubmatrix(
    MAX_N_M=4, N=3, M=3, R=2, C=2, matrix=[[1, 5, 2], [9, 9, 9], [3, 9, 2]], gold_answer=4
)
EQUAL = MinimumSumDifferenceSubmatrix(
    MAX_N_M=4, N=3, M=3, R=2, C=2, matrix=[[7, 7, 1], [2, 5, 9], [7, 7, 4]], gold_answer=0
)
SCHEDULE = {0: {"MAX_N_M": 4}, 1: {"MAX_N_M": 5}, 7: {"MAX_N_M": 11}, 20: {"MAX_N_M": 24}}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["0 2\n0 2", "\n0 2\n\n0 2\n"],
            (4 / 16) ** 5: ["0 2\n0 1"],
            -0.5: ["2 0\n0 2", "0 2\n1 1", "0 3\n0 2", "0 2\n-1 2"],
            -1.0: ["0 2", "0 2 0 2", "0 1 2\n0 2", "0 2\n0 2\n0 2", "0 2\n0 x", ""],
        },
    ),
    (EQUAL, {1.0: ["0 2\n0 1"], 0.0: ["0 1\n0 1"]}),
]
SAMPLES = {150: {"MAX_N_M": range(3, 6)}}


def test_gold_is_the_minimum_over_all_choices(problem):
    assert problem.gold_answer == brute_force(problem.matrix, problem.R, problem.C)


def test_a_larger_matrix_with_many_choices():
    rng = Random(0)
    for R, C in ((4, 2), (2, 4), (5, 2)):
        matrix = [[rng.randint(1, 9) for _ in range(7)] for _ in range(9)]
        assert difference_sum(matrix, *best_choice(matrix, R, C)) == brute_force(matrix, R, C)


def brute_force(matrix, R, C):
    best = None
    for rows in combinations(range(len(matrix)), R):
        for columns in combinations(range(len(matrix[0])), C):
            new = [[matrix[i][j] for j in columns] for i in rows]
            score = 0
            for i in range(R):
                for j in range(C):
                    if i + 1 < R:
                        score += abs(new[i][j] - new[i + 1][j])
                    if j + 1 < C:
                        score += abs(new[i][j] - new[i][j + 1])
            best = score if best is None else min(best, score)
    return best
