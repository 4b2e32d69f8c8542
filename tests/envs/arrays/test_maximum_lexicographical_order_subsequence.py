from itertools import combinations

from rlve.envs.arrays.maximum_lexicographical_order_subsequence import (
    MaximumLexicographicalOrderSubsequence,
)

PROBLEM = MaximumLexicographicalOrderSubsequence(
    N=5, K=3, A=[2, 4, 1, 3, 3], gold_answer=[4, 3, 3], reference_answer="4 3 3"
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 10: {"N": 16}, 20: {"N": 50}}
REWARDS = {
    1.0: ["4 3 3"],
    (2 / 3) ** 5: ["4 1 3"],
    (1 / 3) ** 5: ["2 1 3"],
    0.0: ["2 4 1"],
    -0.5: ["4 4 3", "3 4 3", "4 3", "2 4 3 3", ""],
    -1.0: ["4 3 x"],
}
SAMPLES = {150: {"N": range(3, 10)}}


def test_gold_is_the_largest_of_all_subsequences(problem):
    assert 2 <= problem.K < problem.N
    assert problem.gold_answer == list(max(combinations(problem.A, problem.K)))
