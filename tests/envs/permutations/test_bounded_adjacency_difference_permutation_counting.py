from itertools import pairwise, permutations
from random import Random

from rlve.envs.permutations.bounded_adjacency_difference_permutation_counting import (
    BoundedAdjacencyDifference_Permutation_Counting,
)

PROBLEM = BoundedAdjacencyDifference_Permutation_Counting(N=4, K=2, reference_answer=12)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 2: {"N": 6}, 20: {"N": 24}}
REWARDS = {
    1.0: ["12"],
    (1 / 2) ** 10: ["6", "24"],
    0.0: ["0"],
    -1.0: ["-12", "12 permutations", ""],
}


def test_count_agrees_with_trying_all_permutations():
    for seed in range(100):
        problem = BoundedAdjacencyDifference_Permutation_Counting.sample(Random(seed), 4 + seed % 3)
        assert 2 <= problem.K < problem.N
        assert problem.reference_answer == by_trying_all(problem.N, problem.K)


def by_trying_all(n, k):
    return sum(all(abs(a - b) <= k for a, b in pairwise(p)) for p in permutations(range(n)))
