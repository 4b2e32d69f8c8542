"""Graphs whose achromatic numbers are known; the environment's test tries all small ones."""

from rlve.algorithms.achromatic import achromatic_colouring


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
