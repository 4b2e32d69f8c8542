from itertools import pairwise
from math import inf
from random import Random

from rlve.algorithms.graphs import (
    DisjointSets,
    eulerian_circuit,
    is_connected,
    minimum_spanning_tree,
    shortest_paths,
    strong_components,
)
from rlve.sampling.graphs import random_arcs


def test_disjoint_sets_join_once():
    parts = DisjointSets(4)
    assert parts.join(0, 1)
    assert parts.join(2, 1)
    assert not parts.join(0, 2)
    assert parts.count == 2
    assert parts.find(0) == parts.find(2) != parts.find(3)


def test_is_connected():
    assert is_connected(1, [])
    assert is_connected(3, [(0, 2), (2, 1)])
    assert not is_connected(3, [(0, 2)])


def test_minimum_spanning_tree_takes_the_lightest_edges_that_join():
    edges = [(0, 1, 3), (0, 2, 1), (1, 2, 2), (2, 3, 9)]
    assert sorted(minimum_spanning_tree(4, edges)) == [(0, 2, 1), (1, 2, 2), (2, 3, 9)]


def test_shortest_paths_are_those_of_bellman_and_ford():
    for seed in range(100):
        rng = Random(seed)
        n = rng.randint(2, 9)
        arcs = random_arcs(rng, n, rng.randint(1, n * (n - 1) // 2))
        weighted = [(s, t, rng.randint(0, 9)) for s, t in arcs]
        least = [0 if v == 0 else inf for v in range(n)]
        for _ in range(n):
            for s, t, w in weighted:
                least[t] = min(least[t], least[s] + w)
        found = shortest_paths(weighted, 0)
        assert found.distance == {v: x for v, x in enumerate(least) if x < inf}
        weights = {(s, t): w for s, t, w in weighted}
        for v, x in found.distance.items():
            path = found.to(v)
            assert (path[0], path[-1]) == (0, v)
            assert sum(weights[step] for step in pairwise(path)) == x


def test_an_eulerian_circuit_uses_each_edge_once():
    edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2), (0, 3), (3, 0)]
    for start in range(5):
        circuit = eulerian_circuit(6, edges, start)
        assert circuit[0] == circuit[-1] == start
        walked = sorted(tuple(sorted(step)) for step in pairwise(circuit))
        assert walked == sorted(tuple(sorted(edge)) for edge in edges)


def test_strong_components_are_the_classes_of_mutual_reachability():
    for seed in range(100):
        rng = Random(seed)
        n = rng.randint(1, 7)
        arcs = random_arcs(rng, n, rng.randint(0, n * (n - 1) // 2))
        reached = [{v} for v in range(n)]
        for _ in range(n):
            for s, t in arcs:
                for ends in reached:
                    ends |= {t} if s in ends else set()
        components = strong_components(n, arcs)
        assert sorted(v for component in components for v in component) == list(range(n))
        place = {v: i for i, component in enumerate(components) for v in component}
        for u in range(n):
            for v in range(n):
                assert (place[u] == place[v]) == (u in reached[v] and v in reached[u])
        assert all(place[s] >= place[t] for s, t in arcs)
