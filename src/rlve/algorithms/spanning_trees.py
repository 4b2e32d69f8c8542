"""Counting the spanning trees of a graph."""

from collections.abc import Iterable

from rlve.algorithms.graphs import DisjointSets, Edge, WeightedEdge


def spanning_tree_count(n: int, edges: Iterable[Edge]) -> int:
    """The number of spanning trees; parallel edges count as different.

    Kirchhoff: the determinant of the Laplacian matrix without its last row and column.
    """
    laplacian = [[0] * n for _ in range(n)]
    for u, v in edges:
        laplacian[u][u] += 1
        laplacian[v][v] += 1
        laplacian[u][v] -= 1
        laplacian[v][u] -= 1
    return determinant([row[:-1] for row in laplacian[:-1]])


def minimum_spanning_tree_count(n: int, edges: Iterable[WeightedEdge]) -> int:
    """The number of spanning trees with the smallest total weight, in a connected graph.

    Whichever edges below a weight are chosen, they join the same vertices. So the choices among the
    edges of each weight are independent: spanning trees of the graph with these vertices merged.
    """
    by_weight: dict[int, list[Edge]] = {}
    for u, v, w in edges:
        by_weight.setdefault(w, []).append((u, v))
    parts = DisjointSets(n)
    count = 1
    for _, equal in sorted(by_weight.items()):
        merged = [(parts.find(u), parts.find(v)) for u, v in equal]
        merged = [(u, v) for u, v in merged if u != v]
        for u, v in merged:
            parts.join(u, v)
        groups: dict[int, list[Edge]] = {}
        for u, v in merged:
            groups.setdefault(parts.find(u), []).append((u, v))
        for group in groups.values():
            number = {v: i for i, v in enumerate(dict.fromkeys(v for edge in group for v in edge))}
            count *= spanning_tree_count(len(number), [(number[u], number[v]) for u, v in group])
    return count


def determinant(matrix: list[list[int]]) -> int:
    """The exact determinant of a square matrix; 1 for the empty one. Bareiss: no fractions."""
    rows = [list(row) for row in matrix]
    sign, before = 1, 1
    for k in range(len(rows)):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k]), None)
        if pivot is None:
            return 0
        if pivot != k:
            rows[k], rows[pivot] = rows[pivot], rows[k]
            sign = -sign
        top, head = rows[k], rows[k][k]
        for row in rows[k + 1 :]:
            factor = row[k]
            row[k:] = [
                (head * x - factor * y) // before for x, y in zip(row[k:], top[k:], strict=True)
            ]
        before = head
    return sign * before
