from itertools import combinations
from random import Random

from rlve.algorithms.achromatic import achromatic_colouring
from rlve.sampling.graphs import random_edges


def test_no_partition_has_more_sets():
    for seed in range(40):
        rng = Random(seed)
        n = rng.randint(6, 8)
        edges = random_edges(rng, n, rng.randint(n - 2, 2 * n))
        colouring = achromatic_colouring(n, edges)
        assert is_complete(colouring, edges)
        every = (colours for colours in partitions(n) if is_complete(colours, edges))
        assert len(set(colouring)) == max(len(set(colours)) for colours in every)


def partitions(n):
    """All colourings that use the colours 0, 1, 2, ... in this order."""
    found = [()]
    for _ in range(n):
        found = [(*colours, c) for colours in found for c in range(max(colours, default=-1) + 2)]
    return found


def is_complete(colours, edges):
    meeting = {frozenset((colours[u], colours[v])) for u, v in edges}
    return meeting == {frozenset(two) for two in combinations(set(colours), 2)}


def test_paths():
    # Of paths the numbers are known: k colours need k(k-1)/2 edges, and some more if k is even.
    for edges, k in [(3, 3), (4, 3), (6, 3), (7, 4), (10, 5), (15, 5), (17, 6), (21, 7)]:
        path = [(v, v + 1) for v in range(edges)]
        assert len(set(achromatic_colouring(edges + 1, path))) == k


def test_disjoint_edges():
    # k colours need an edge for every two, so each has k - 1 vertices.
    for k in range(2, 6):
        enough = k * (k - 1) // 2
        for edges in (enough, enough + k - 1):  # one fewer than for k + 1 colours
            apart = [(2 * i, 2 * i + 1) for i in range(edges)]
            assert len(set(achromatic_colouring(2 * edges, apart))) == k
