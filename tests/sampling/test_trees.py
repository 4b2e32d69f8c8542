from collections import Counter
from random import Random

from rlve.algorithms.graphs import is_connected
from rlve.sampling.trees import (
    random_binary_tree,
    random_labelled_tree,
    random_tree,
    random_weighted_tree,
)


def test_random_trees_are_trees_on_the_vertices_asked_for():
    for seed in range(50):
        n = 2 + seed % 7
        edges = random_tree(Random(seed), n, first=1)
        assert len(edges) == n - 1
        assert all(1 <= u < v <= n for u, v in edges)
        assert is_connected(n, [(u - 1, v - 1) for u, v in edges])


def test_weights_are_in_their_range():
    weights = [w for seed in range(50) for _, _, w in random_weighted_tree(Random(seed), 5, 0, 3)]
    assert set(weights) == {0, 1, 2, 3}


def test_labelled_trees_are_equally_likely():
    rng = Random(1)
    drawn = Counter(frozenset(random_labelled_tree(rng, 4)) for _ in range(3200))
    assert len(drawn) == 4**2
    assert all(150 < count < 250 for count in drawn.values())
    assert random_labelled_tree(rng, 2) == [(0, 1)]


def test_the_leaves_of_a_binary_tree_are_split_uniformly():
    rng = Random(1)
    left = Counter(
        random_binary_tree(rng, 4, lambda: (1, 0), lambda a, b: (a[0] + b[0], a[0]))
        for _ in range(3000)
    )
    assert set(left) == {(4, 1), (4, 2), (4, 3)}
    assert all(900 < count < 1100 for count in left.values())
