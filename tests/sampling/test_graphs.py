from random import Random

from rlve.algorithms.graphs import is_connected
from rlve.sampling.graphs import random_arcs, random_connected_graph, random_edges


def test_random_graphs_are_simple_and_as_large_as_asked():
    for seed in range(50):
        rng = Random(seed)
        arcs = random_arcs(rng, 6, 12, besides=[(0, 1)])
        assert len(set(arcs)) == 12
        assert (0, 1) not in arcs
        assert all(s != t for s, t in arcs)
        edges = random_edges(rng, 6, 8, besides=[(1, 0)])
        assert len(set(edges)) == 8
        assert (0, 1) not in edges
        assert all(u < v for u, v in edges)
        connected = random_connected_graph(rng, 6, 9)
        assert len(set(connected)) == 9
        assert is_connected(6, connected)
