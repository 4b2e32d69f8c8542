from random import Random

from rlve.algorithms import cuts
from rlve.sampling.graphs import random_edges


def cut_edges(edges, parts):
    return sum(parts[u] != parts[v] for u, v in edges)


def test_both_ways_agree_on_larger_graphs(monkeypatch):
    for seed in range(30):
        rng = Random(seed)
        n = rng.randint(8, 12)
        edges = random_edges(rng, n, rng.randint(n, 2 * n))
        k = rng.randint(2, n - 1)
        cut = set()
        for narrow in (-1, n):
            monkeypatch.setattr(cuts, "NARROW", narrow)
            cut.add(cut_edges(edges, cuts.lightest_partition(n, edges, k)))
        assert len(cut) == 1
