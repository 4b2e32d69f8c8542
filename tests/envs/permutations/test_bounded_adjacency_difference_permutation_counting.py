from itertools import pairwise, permutations

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
SAMPLES = {100: {"N": range(4, 7)}}


def test_count_agrees_with_trying_all_permutations(problem):
    assert 2 <= problem.K < problem.N
    assert problem.reference_answer == sum(
        all(abs(a - b) <= problem.K for a, b in pairwise(p)) for p in permutations(range(problem.N))
    )
