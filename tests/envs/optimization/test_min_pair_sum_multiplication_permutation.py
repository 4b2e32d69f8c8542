from itertools import permutations

from rlve.envs.optimization.min_pair_sum_multiplication_permutation import (
    MinPairSumMultiplicationPermutation,
)

PROBLEM = MinPairSumMultiplicationPermutation(
    N=3, A=[[1, 2, 3], [2, 1, 3], [3, 3, 1]], B=[[1, 1, 1], [1, 1, 1], [1, 1, 1]], gold_answer=9
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {
    1.0: ["0 1 2"],
    (9 / 15) ** 5: ["1 0 2"],
    (9 / 21) ** 5: ["2 1 0"],
    -0.5: ["0 1", "0 1 1", "1 2 3", "0 1 -1", "0 1 2 0", ""],
    -1.0: ["0, 1, 2"],
}
SAMPLES = {120: {"N": range(3, 7)}}


def test_gold_is_the_smallest_over_all_permutations(problem):
    rows = range(problem.N)
    assert problem.gold_answer == min(
        sum(problem.A[i][p[i]] for i in rows) * sum(problem.B[i][p[i]] for i in rows)
        for p in permutations(rows)
    )
