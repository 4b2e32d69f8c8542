from itertools import product
from random import Random

import pytest

from rlve.algorithms.depth_weighted_trees import cheapest_depth_weighted_tree
from rlve.sampling.graphs import random_connected_graph


def test_trees_are_the_cheapest_of_all_choices_of_parents():
    for seed in range(100):
        rng = Random(seed)
        n = rng.randint(2, 5)
        graph = random_connected_graph(rng, n, rng.randint(n - 1, n * (n - 1) // 2))
        weights = {edge: rng.randint(0, n) for edge in graph}
        weights |= {(v, u): w for (u, v), w in weights.items()}
        tree = cheapest_depth_weighted_tree(
            n, [(u, v, w) for (u, v), w in weights.items() if u < v]
        )
        costs = [cost(parents, weights) for parents in product(range(n), repeat=n)]
        assert tree.cost == min(x for x in costs if x is not None)
        parents = [tree.root] * n
        for u, v in tree.edges:
            parents[v] = u
        assert cost(parents, weights) == tree.cost


def cost(parents, weights):
    """The cost of the tree in which each vertex has this parent, and one, the root, itself."""
    total = 0
    if sum(v == parent for v, parent in enumerate(parents)) != 1:
        return None
    for v, parent in enumerate(parents):
        depth, above = 0, v
        while parents[above] != above:
            depth, above = depth + 1, parents[above]
            if depth > len(parents):
                return None
        if depth and (parent, v) not in weights:
            return None
        total += depth * weights[parent, v] if depth else 0
    return total


def test_a_graph_in_parts_has_no_tree():
    with pytest.raises(ValueError, match="not connected"):
        cheapest_depth_weighted_tree(4, [(0, 1, 1), (2, 3, 1)])
