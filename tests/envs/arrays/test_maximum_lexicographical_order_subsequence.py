from itertools import combinations
from random import Random

import pytest

from rlve.envs.arrays.maximum_lexicographical_order_subsequence import (
    MaximumLexicographicalOrderSubsequence,
)

PROBLEM = MaximumLexicographicalOrderSubsequence(
    N=5, K=3, A=[2, 4, 1, 3, 3], gold_answer=[4, 3, 3], reference_answer="4 3 3"
)


def test_schedule():
    sizes = [MaximumLexicographicalOrderSubsequence.level(d)[0]["N"] for d in (0, 1, 2, 10, 20)]
    assert sizes == [3, 4, 5, 16, 50]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("4 3 3", 1.0),
        ("4 1 3", (2 / 3) ** 5),
        ("2 1 3", (1 / 3) ** 5),
        ("2 4 1", 0.0),
        ("4 4 3", -0.5),
        ("3 4 3", -0.5),
        ("4 3", -0.5),
        ("2 4 3 3", -0.5),
        ("", -0.5),
        ("4 3 x", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_largest_of_all_subsequences():
    for seed in range(150):
        problem = MaximumLexicographicalOrderSubsequence.sample(Random(seed), N=3 + seed % 7)
        assert 2 <= problem.K < problem.N
        assert problem.gold_answer == list(max(combinations(problem.A, problem.K)))
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
