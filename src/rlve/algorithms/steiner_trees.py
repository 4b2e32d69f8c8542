"""Lightest trees that contain given vertices of a graph."""

from itertools import pairwise
from typing import TYPE_CHECKING

from rlve.algorithms.graphs import DisjointSets, Edge, WeightedEdge, ordered, shortest_paths

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def lightest_steiner_tree(n: int, edges: list[WeightedEdge], wanted: list[int]) -> list[Edge]:
    """The edges of a lightest tree that contains all wanted vertices of a connected graph.

    Exponential in the number of wanted vertices or in that of the others, whichever is smaller.
    """
    if 2 * len(wanted) <= n + 1:
        return _joined_at_splits(n, edges, wanted)
    return _spanning_a_superset(n, edges, wanted)


def _spanning_a_superset(n: int, edges: list[WeightedEdge], wanted: list[int]) -> list[Edge]:
    """The lightest minimum spanning tree of the wanted vertices and any choice of others.

    Adding a vertex changes only the minimum spanning forest of those before it.
    """
    heavy = sorted((w, u, v) for u, v, w in edges)
    at: list[list[tuple[int, int, int]]] = [[] for _ in range(n)]
    for edge in heavy:
        at[edge[1]].append(edge)
        at[edge[2]].append(edge)

    def with_vertex(
        forest: list[tuple[int, int, int]], chosen: int, v: int
    ) -> list[tuple[int, int, int]]:
        inside = chosen | 1 << v
        new = [e for e in at[v] if inside >> e[1] & inside >> e[2] & 1]
        parts = DisjointSets(n)
        return [e for e in sorted(forest + new) if parts.join(e[1], e[2])]

    forest: list[tuple[int, int, int]] = []
    chosen = 0
    for v in wanted:
        forest = with_vertex(forest, chosen, v)
        chosen |= 1 << v
    others = [v for v in range(n) if not chosen >> v & 1]
    best: tuple[int, list[tuple[int, int, int]]] | None = None
    waiting = [(forest, chosen, 0)]
    while waiting:
        forest, chosen, i = waiting.pop()
        if i < len(others):
            v = others[i]
            waiting.append((forest, chosen, i + 1))
            waiting.append((with_vertex(forest, chosen, v), chosen | 1 << v, i + 1))
        elif len(forest) == chosen.bit_count() - 1:
            weight = sum(w for w, _, _ in forest)
            if best is None or weight < best[0]:
                best = weight, forest
    if best is None:
        raise ValueError("the graph is not connected")
    return [(u, v) for _, u, v in best[1]]


def _joined_at_splits(n: int, edges: list[WeightedEdge], wanted: list[int]) -> list[Edge]:
    """Dreyfus and Wagner: a tree is a path to a vertex where two smaller trees meet."""
    import numpy as np

    shortest = [shortest_paths([*edges, *((v, u, w) for u, v, w in edges)], v) for v in range(n)]
    distance = np.array([[shortest[u].distance[v] for v in range(n)] for u in range(n)])
    *ends, root = wanted
    # lightest[mask, v]: the weight of a tree that contains v and the ends in the mask
    lightest = np.zeros((1 << len(ends), n), dtype=np.int64)
    subsets = [np.zeros(1, dtype=np.int64)]  # of each mask, in increasing order
    for mask in range(1, len(lightest)):
        low = mask & -mask
        rest = subsets[mask ^ low]
        subsets.append(np.concatenate([rest, rest | low]))
        if mask == low:
            lightest[mask] = distance[ends[low.bit_length() - 1]]
        else:
            meeting = _meeting(lightest, mask, rest).min(axis=0)
            lightest[mask] = (meeting[:, None] + distance).min(axis=0)

    chosen: set[Edge] = set()
    waiting = [(len(lightest) - 1, root)]
    while waiting:
        mask, v = waiting.pop()
        low = mask & -mask
        if mask == low:
            vertex = ends[low.bit_length() - 1]
        else:
            splits = _meeting(lightest, mask, subsets[mask ^ low])
            vertex = int((splits.min(axis=0) + distance[v]).argmin())
            part = int(subsets[mask ^ low][splits[:, vertex].argmin()]) | low
            waiting += [(part, vertex), (mask ^ part, vertex)]
        chosen |= {ordered(s, t) for s, t in pairwise(shortest[v].to(vertex))}
    return sorted(chosen)


def _meeting(
    lightest: "NDArray[np.int64]", mask: int, rest: "NDArray[np.int64]"
) -> "NDArray[np.int64]":
    """The weights of two trees that share the ends in the mask, for each split and vertex.

    The first of the two has the lowest end; `rest` are the subsets of the others.
    """
    low = mask & -mask
    parts = rest[rest != mask ^ low] | low
    return lightest[parts] + lightest[mask ^ parts]
