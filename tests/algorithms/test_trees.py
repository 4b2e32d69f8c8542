from itertools import pairwise
from random import Random

from rlve.algorithms.trees import RootedTree, longest_path, tree_distances
from rlve.sampling.trees import random_tree, random_weighted_tree

#   5 - 2 - 7 - 1, with 9 on 7
EDGES = [(2, 5, 4), (2, 7, 1), (7, 1, 3), (9, 7, 0)]


def test_rooted_tree():
    tree = RootedTree(EDGES, 2)
    assert tree.order == [2, 5, 7, 1, 9]
    assert tree.parent == {5: 2, 7: 2, 1: 7, 9: 7}
    assert tree.children == {2: [5, 7], 5: [], 7: [1, 9], 1: [], 9: []}
    assert tree.depth == {2: 0, 5: 4, 7: 1, 1: 4, 9: 1}
    assert tree.path(9) == [2, 7, 9]
    assert tree.path(2) == [2]
    assert tree.sizes() == {2: 5, 5: 1, 7: 3, 1: 1, 9: 1}
    assert tree.length(1) == 3
    assert tree.deepest() == 5


def test_rooted_tree_without_what_is_not_joined_to_the_root():
    tree = RootedTree([(0, 1), (2, 3)], 3)
    assert tree.order == [3, 2]
    assert RootedTree([(0, 1)], 4).order == [4]


def test_a_long_path_is_no_problem():
    tree = RootedTree([(i, i + 1) for i in range(20_000)], 0)
    assert tree.depth[20_000] == 20_000
    assert tree.sizes()[0] == 20_001


def test_distances_and_longest_paths_follow_from_all_pairs():
    for seed in range(100):
        rng = Random(seed)
        n = 2 + seed % 8
        edges = random_weighted_tree(rng, n, 0, 5) if seed % 2 else random_tree(rng, n)
        far = [[0 if u == v else 999 for v in range(n)] for u in range(n)]
        for u, v, *w in edges:
            far[u][v] = far[v][u] = w[0] if w else 1
        for m in range(n):
            for u in range(n):
                for v in range(n):
                    far[u][v] = min(far[u][v], far[u][m] + far[m][v])
        found = tree_distances(edges)
        assert found == {u: dict(enumerate(far[u])) for u in range(n)}
        path = longest_path(edges, seed % n)
        assert far[path[0]][path[-1]] == max(map(max, far))
        joined = {frozenset(edge[:2]) for edge in edges}
        assert all({u, v} in joined for u, v in pairwise(path))
