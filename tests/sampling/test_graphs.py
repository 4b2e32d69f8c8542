from random import Random

from rlve.algorithms.graphs import is_connected
from rlve.sampling.graphs import (
    arc_count,
    edge_count,
    random_arcs,
    random_connected_graph,
    random_edges,
)


def test_counts_are_shares_of_all_pairs():
    assert [edge_count(5, share) for share in (0, 0.05, 0.1, 0.55, 1)] == [0, 0, 1, 5, 10]
    assert [arc_count(5, share) for share in (0, 0.05, 0.1, 0.55, 1)] == [0, 1, 2, 11, 20]


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
