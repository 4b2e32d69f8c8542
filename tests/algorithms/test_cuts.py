from itertools import product
from random import Random

import pytest

from rlve.algorithms import cuts
from rlve.sampling.graphs import random_edges


def cut_edges(edges, parts):
    return sum(parts[u] != parts[v] for u, v in edges)


@pytest.mark.parametrize("narrow", [cuts.NARROW, -1])  # sweeping always; never without a bound
def test_no_partition_cuts_fewer_edges(monkeypatch, narrow):
    monkeypatch.setattr(cuts, "NARROW", narrow)
    for seed in range(100):
        rng = Random(seed)
        n = rng.randint(3, 6)
        edges = random_edges(rng, n, rng.randint(0, n * (n - 1) // 2))
        k = rng.randint(2, n - 1)
        found = cuts.lightest_partition(n, edges, k)
        assert set(found) == set(range(k))
        partitions = (parts for parts in product(range(k), repeat=n) if len(set(parts)) == k)
        assert cut_edges(edges, found) == min(cut_edges(edges, parts) for parts in partitions)


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
