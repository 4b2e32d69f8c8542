"""Trees, as lists of edges; the vertices can be any integers.

An edge without a weight has length 1. Nothing here recurses, so a tree can be of any depth.
"""

from collections.abc import Iterable
from typing import TypeAlias

from rlve.algorithms.graphs import Edge, WeightedEdge

AnyEdge: TypeAlias = Edge | WeightedEdge


class RootedTree:
    """The tree that hangs from a root; edges not connected to the root are left out."""

    def __init__(self, edges: Iterable[AnyEdge], root: int) -> None:
        neighbours: dict[int, list[tuple[int, int]]] = {root: []}  # with lengths
        for edge in edges:
            u, v = edge[0], edge[1]
            length = edge[2] if len(edge) == 3 else 1
            neighbours.setdefault(u, []).append((v, length))
            neighbours.setdefault(v, []).append((u, length))
        self.root = root
        self.order = [root]  # breadth first, so that each vertex comes after its parent
        self.parent: dict[int, int] = {}  # of each vertex but the root
        self.children: dict[int, list[int]] = {}
        self.depth = {root: 0}  # the total length from the root
        for u in self.order:
            self.children[u] = []
            for v, length in neighbours[u]:
                if v not in self.depth:
                    self.parent[v] = u
                    self.children[u].append(v)
                    self.depth[v] = self.depth[u] + length
                    self.order.append(v)

    def path(self, v: int) -> list[int]:
        """The vertices from the root to v, both inclusive."""
        path = [v]
        while path[-1] != self.root:
            path.append(self.parent[path[-1]])
        return path[::-1]

    def sizes(self) -> dict[int, int]:
        """How many vertices hang from each vertex, including itself."""
        sizes = dict.fromkeys(self.order, 1)
        for v in reversed(self.order[1:]):
            sizes[self.parent[v]] += sizes[v]
        return sizes

    def length(self, v: int) -> int:
        """The length of the edge from v to its parent."""
        return self.depth[v] - self.depth[self.parent[v]]

    def deepest(self) -> int:
        """A vertex farthest from the root."""
        return max(self.order, key=lambda v: self.depth[v])


def longest_path(edges: Iterable[AnyEdge], start: int) -> list[int]:
    """The vertices of a longest path of the tree that contains `start`; no length is negative."""
    edges = list(edges)
    tree = RootedTree(edges, RootedTree(edges, start).deepest())
    return tree.path(tree.deepest())


def tree_distances(edges: Iterable[AnyEdge]) -> dict[int, dict[int, int]]:
    """The distances from each vertex to all vertices connected to it."""
    edges = list(edges)
    vertices = sorted({v for edge in edges for v in edge[:2]})
    return {v: RootedTree(edges, v).depth for v in vertices}
