"""Cliques: sets of vertices every two of which are adjacent."""

from collections.abc import Iterable

from rlve.algorithms.graphs import Edge, neighbour_masks


def maximum_clique(n: int, edges: Iterable[Edge]) -> list[int]:
    """The vertices, in ascending order, of a largest clique.

    Branch and bound on bit sets (Tomita and Seki, 2003): if the vertices that can still be added
    are coloured, a clique contains at most one of each colour.
    """
    near = neighbour_masks(n, edges)
    best: list[int] = []

    def extend(clique: list[int], candidates: int) -> None:
        nonlocal best
        if len(clique) > len(best):
            best = clique
        for v, colours in reversed(greedy_colouring(near, candidates)):
            if len(clique) + colours <= len(best):
                return
            extend([*clique, v], candidates & near[v])
            candidates ^= 1 << v

    extend([], (1 << n) - 1)
    return sorted(best)


def greedy_colouring(near: list[int], vertices: int) -> list[tuple[int, int]]:
    """The vertices by ascending colour, each with its colour, counted from 1."""
    coloured: list[tuple[int, int]] = []
    colour = 0
    while vertices:
        colour += 1
        free = vertices
        while free:
            v = free.bit_length() - 1
            coloured.append((v, colour))
            vertices ^= 1 << v
            free &= ~near[v] & ~(1 << v)
    return coloured
