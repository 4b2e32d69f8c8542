from itertools import combinations
from random import Random

from rlve.envs.graphs.clique_independent_set_partitioning_counting import (
    Clique_IndependentSet_Partitioning_Counting,
    split_count,
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


def test_literal_problem():
    assert brute(PROBLEM.N, PROBLEM.edges) == 3


def test_count_is_that_of_all_splits():
    for seed in range(150):
        problem = Clique_IndependentSet_Partitioning_Counting.generate(
            difficulty=seed % 5, seed=seed
        )
        assert problem.reference_answer == brute(problem.N, problem.edges) > 0


def test_count_of_any_graph():
    rng = Random(1)
    for _ in range(150):
        n = rng.randint(2, 6)
        edges = [edge for edge in combinations(range(n), 2) if rng.random() < 0.5]
        assert split_count(n, edges) == brute(n, edges)


def brute(n, edges):
    present = set(edges)
    splits = 0
    for choice in range(1, 2**n - 1):
        inside = [v for v in range(n) if choice >> v & 1]
        outside = [v for v in range(n) if not choice >> v & 1]
        clique = all(edge in present for edge in combinations(inside, 2))
        splits += clique and not any(edge in present for edge in combinations(outside, 2))
    return splits
