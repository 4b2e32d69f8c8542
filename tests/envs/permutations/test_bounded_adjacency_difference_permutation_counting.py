from itertools import pairwise, permutations
from random import Random

import pytest

from rlve.envs.permutations.bounded_adjacency_difference_permutation_counting import (
    BoundedAdjacencyDifference_Permutation_Counting,
    smooth_permutations,
)

PROBLEM = BoundedAdjacencyDifference_Permutation_Counting(N=4, K=2, reference_answer=12)


def test_schedule():
    levels = [BoundedAdjacencyDifference_Permutation_Counting.level(d) for d in (0, 1, 2, 20)]
    assert levels == [[{"N": 4}], [{"N": 5}], [{"N": 6}], [{"N": 24}]]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("12", 1.0),
        ("6", (1 / 2) ** 10),
        ("24", (1 / 2) ** 10),
        ("0", 0.0),
        ("-12", -1.0),
        ("12 permutations", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_count_agrees_with_trying_all_permutations():
    for seed in range(100):
        problem = BoundedAdjacencyDifference_Permutation_Counting.sample(Random(seed), 4 + seed % 3)
        assert 2 <= problem.K < problem.N
        assert problem.reference_answer == by_trying_all(problem.N, problem.K)


@pytest.mark.parametrize("n", [2, 3, 7])
def test_all_bounds(n):
    counts = {k: smooth_permutations(n, k) for k in range(1, n + 2)}
    assert counts == {k: by_trying_all(n, k) for k in counts}


def by_trying_all(n, k):
    return sum(all(abs(a - b) <= k for a, b in pairwise(p)) for p in permutations(range(n)))
