"""Proper colourings of graphs: adjacent vertices have different colours 0, 1, 2, ..."""

from collections.abc import Iterable

from rlve.algorithms.cliques import maximum_clique
from rlve.algorithms.graphs import Edge, neighbour_masks


def minimum_colouring(n: int, edges: Iterable[Edge]) -> list[int]:
    """The colour of each vertex in a proper colouring with as few colours as possible."""
    edges = list(edges)
    clique = maximum_clique(n, edges)
    near = neighbour_masks(n, edges)
    colours = len(clique)
    while (colouring := _colouring(near, clique, colours)) is None:
        colours += 1
    return colouring


def _colouring(near: list[int], clique: list[int], colours: int) -> list[int] | None:
    """A proper colouring with at most this many colours, the vertices of the clique first.

    The next vertex is always one with the fewest colours left (Brelaz, 1979), and only one of the
    unused colours is tried.
    """
    n = len(near)
    colouring = [-1] * n

    def complete(left: int, allowed: list[int], used: int) -> bool:
        if not left:
            return True
        uncoloured = [v for v in range(n) if left >> v & 1]
        v = min(uncoloured, key=lambda v: (allowed[v].bit_count(), -(near[v] & left).bit_count()))
        left ^= 1 << v
        for colour in range(min(used + 1, colours)):
            if allowed[v] >> colour & 1:
                colouring[v] = colour
                fewer = [
                    mask & ~(1 << colour) if near[v] >> u & 1 else mask
                    for u, mask in enumerate(allowed)
                ]
                if complete(left, fewer, max(used, colour + 1)):
                    return True
        return False

    allowed = [(1 << colours) - 1] * n
    left = (1 << n) - 1
    for colour, v in enumerate(clique):
        colouring[v] = colour
        left ^= 1 << v
        for u in range(n):
            if near[v] >> u & 1:
                allowed[u] &= ~(1 << colour)
    return colouring if complete(left, allowed, len(clique)) else None
