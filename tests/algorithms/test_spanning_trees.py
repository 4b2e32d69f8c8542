from itertools import combinations, permutations
from math import prod
from random import Random

from rlve.algorithms.spanning_trees import (
    determinant,
    minimum_spanning_tree_count,
    spanning_tree_count,
)


def test_spanning_trees_are_counted_as_sets_of_edges():
    assert spanning_tree_count(1, []) == 1
    assert spanning_tree_count(2, [(0, 1), (0, 1), (1, 0)]) == 3
    assert spanning_tree_count(3, [(0, 1)]) == 0
    assert spanning_tree_count(9, list(combinations(range(9), 2))) == 9**7


def test_minimum_spanning_trees_are_the_lightest_trees():
    rng = Random(1)
    for _ in range(100):
        n = rng.randint(2, 5)
        edges = [(v, rng.randrange(v), rng.randint(1, 3)) for v in range(1, n)]
        edges += [(*rng.sample(range(n), 2), rng.randint(1, 3)) for _ in range(rng.randint(0, 5))]
        weights = [
            sum(w for _, _, w in tree) for tree in combinations(edges, n - 1) if spans(tree, n)
        ]
        assert minimum_spanning_tree_count(n, edges) == weights.count(min(weights))
        assert spanning_tree_count(n, [edge[:2] for edge in edges]) == len(weights)


def test_determinant_is_the_sum_over_all_permutations():
    rng = Random(2)
    for _ in range(100):
        size = rng.randint(0, 5)
        matrix = [[rng.randint(-2, 2) for _ in range(size)] for _ in range(size)]
        expected = 0
        for order in permutations(range(size)):
            odd = sum(a > b for a, b in combinations(order, 2)) % 2
            expected += (-1) ** odd * prod(matrix[i][j] for i, j in enumerate(order))
        assert determinant(matrix) == expected


def spans(edges, n):
    reached = {0}
    for _ in range(n):
        reached |= {x for u, v, _ in edges if {u, v} & reached for x in (u, v)}
    return len(reached) == n
