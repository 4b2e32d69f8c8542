from itertools import combinations
from random import Random

import pytest

from rlve.envs.arrays.longest_matching_subsequence import Longest_MatchingSubsequence

PROBLEM = Longest_MatchingSubsequence(N=6, A=[3, 1, 5, 3, 2, 4], gold_answer=3)


def test_schedule():
    sizes = [Longest_MatchingSubsequence.level(d)[0]["N"] for d in (0, 1, 2, 10, 20)]
    assert sizes == [3, 4, 5, 16, 50]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("1 2 3 5", 1.0),
        ("1 4", (2 / 3) ** 5),
        ("0 1 2 3 4 5", 0.0),
        ("1", (1 / 3) ** 5),
        ("", 0.0),
        ("0", 0.0),
        ("1 6", -0.5),
        ("-1 1", -0.5),
        ("1 1", -0.5),
        ("4 1", -0.5),
        ("1, 4", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_most_matches_of_all_choices():
    assert PROBLEM.gold_answer == most_matches(PROBLEM.A)
    for seed in range(120):
        problem = Longest_MatchingSubsequence.sample(Random(seed), N=3 + seed % 6)
        assert 1 in problem.A
        assert problem.gold_answer == most_matches(problem.A)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def most_matches(A):
    choices = (B for k in range(len(A) + 1) for B in combinations(A, k))
    return max(sum(B[j - 1] == j for j in range(1, len(B) + 1)) for B in choices)
