from itertools import combinations

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
SAMPLES = {120: {"N": range(3, 9)}}


def test_gold_is_the_most_matches_of_all_choices(problem):
    assert 1 in problem.A
    choices = (B for k in range(len(problem.A) + 1) for B in combinations(problem.A, k))
    assert problem.gold_answer == max(
        sum(B[j - 1] == j for j in range(1, len(B) + 1)) for B in choices
    )
