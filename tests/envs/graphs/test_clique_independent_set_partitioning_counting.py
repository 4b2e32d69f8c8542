from itertools import combinations

from rlve.envs.graphs.clique_independent_set_partitioning_counting import (
    Clique_IndependentSet_Partitioning_Counting,
)

# A triangle with a tail at vertex 2: S is {0, 1, 2}, {0, 2}, {1, 2}.
PROBLEM = Clique_IndependentSet_Partitioning_Counting(
    N=4, edges=[(0, 1), (1, 2), (0, 2), (2, 3)], reference_answer=3
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 7: {"N": 10}, 20: {"N": 23}}
REWARDS = {
    1.0: ["3"],
    (2 / 3) ** 10: ["2"],
    (3 / 6) ** 10: ["6"],
    0.0: ["0"],
    -1.0: ["-3", "three", ""],
}
SAMPLES = {150: {"difficulty": range(5)}}


def test_count_is_that_of_all_splits(problem):
    n = problem.N
    present = set(problem.edges)
    splits = 0
    for choice in range(1, 2**n - 1):
        inside = [v for v in range(n) if choice >> v & 1]
        outside = [v for v in range(n) if not choice >> v & 1]
        clique = all(edge in present for edge in combinations(inside, 2))
        splits += clique and not any(edge in present for edge in combinations(outside, 2))
    assert problem.reference_answer == splits > 0
