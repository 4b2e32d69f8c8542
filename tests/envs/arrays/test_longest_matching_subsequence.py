from itertools import combinations
from random import Random

from rlve.envs.arrays.longest_matching_subsequence import Longest_MatchingSubsequence

PROBLEM = Longest_MatchingSubsequence(N=6, A=[3, 1, 5, 3, 2, 4], gold_answer=3)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 10: {"N": 16}, 20: {"N": 50}}
REWARDS = {
    1.0: ["1 2 3 5"],
    (2 / 3) ** 5: ["1 4"],
    (1 / 3) ** 5: ["1"],
    0.0: ["0 1 2 3 4 5", "", "0"],
    -0.5: ["1 6", "-1 1", "1 1", "4 1"],
    -1.0: ["1, 4"],
}


def test_gold_is_the_most_matches_of_all_choices():
    assert PROBLEM.gold_answer == most_matches(PROBLEM.A)
    for seed in range(120):
        problem = Longest_MatchingSubsequence.sample(Random(seed), N=3 + seed % 6)
        assert 1 in problem.A
        assert problem.gold_answer == most_matches(problem.A)


def most_matches(A):
    choices = (B for k in range(len(A) + 1) for B in combinations(A, k))
    return max(sum(B[j - 1] == j for j in range(1, len(B) + 1)) for B in choices)
