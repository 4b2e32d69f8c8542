from itertools import combinations
from random import Random

import pytest

from rlve.algorithms.graphs import is_connected, minimum_spanning_tree
from rlve.algorithms.steiner_trees import lightest_steiner_tree
from rlve.sampling.graphs import random_connected_graph


def test_trees_are_the_lightest_that_contain_the_wanted_vertices():
    for seed in range(100):
        rng = Random(seed)
        n = rng.randint(3, 7)
        graph = random_connected_graph(rng, n, rng.randint(n - 1, n * (n - 1) // 2))
        weights = {edge: rng.randint(1, 9) for edge in graph}
        edges = [(u, v, w) for (u, v), w in weights.items()]
        wanted = rng.sample(range(n), rng.randint(2, n))  # few and many: two algorithms
        tree = lightest_steiner_tree(n, edges, wanted)
        used = sorted({v for edge in tree for v in edge})
        assert set(wanted) <= set(used)
        assert is_connected(len(used), [(used.index(u), used.index(v)) for u, v in tree])
        others = [v for v in range(n) if v not in wanted]
        spanning = []
        for size in range(len(others) + 1):
            for more in combinations(others, size):
                vertices = [*wanted, *more]
                inner = [
                    (vertices.index(u), vertices.index(v), w)
                    for u, v, w in edges
                    if u in vertices and v in vertices
                ]
                forest = minimum_spanning_tree(len(vertices), inner)
                if len(forest) == len(vertices) - 1:
                    spanning.append(sum(w for _, _, w in forest))
        assert sum(weights[edge] for edge in tree) == min(spanning)


def test_a_graph_in_parts_has_no_tree():
    with pytest.raises(ValueError, match="not connected"):
        lightest_steiner_tree(4, [(0, 1, 1), (2, 3, 1)], [0, 2, 3])
