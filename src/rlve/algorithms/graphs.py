"""Graphs on the vertices 0 .. n-1, as lists of edges.

An edge (u, v) joins two vertices, an arc (s, t) leads from one to another; a third number is the
weight.
"""

from collections.abc import Iterable
from heapq import heappop, heappush
from typing import NamedTuple, TypeAlias

Edge: TypeAlias = tuple[int, int]
WeightedEdge: TypeAlias = tuple[int, int, int]


class DisjointSets:
    """A partition of 0 .. n-1 whose parts can be joined."""

    def __init__(self, n: int) -> None:
        self.parent = list(range(n))
        self.count = n

    def find(self, x: int) -> int:
        while self.parent[x] != x:
            self.parent[x] = x = self.parent[self.parent[x]]
        return x

    def join(self, x: int, y: int) -> bool:
        """Join the parts of x and y; return False if they were already one part."""
        x, y = self.find(x), self.find(y)
        self.parent[x] = y
        self.count -= x != y
        return x != y


def ordered(u: int, v: int) -> Edge:
    """The edge between u and v, smaller vertex first."""
    return (u, v) if u < v else (v, u)


def undirected(edges: Iterable[Edge]) -> set[Edge]:
    """The edges, in no order, each with its smaller vertex first."""
    return {ordered(u, v) for u, v in edges}


def is_connected(n: int, edges: Iterable[Edge]) -> bool:
    parts = DisjointSets(n)
    for u, v in edges:
        parts.join(u, v)
    return parts.count == 1


def neighbour_lists(n: int, edges: Iterable[Edge]) -> list[list[int]]:
    """The neighbours of each vertex, in the order of the edges."""
    neighbours: list[list[int]] = [[] for _ in range(n)]
    for u, v in edges:
        neighbours[u].append(v)
        neighbours[v].append(u)
    return neighbours


def neighbour_masks(n: int, edges: Iterable[Edge]) -> list[int]:
    """The neighbours of each vertex, as the bits of an integer."""
    masks = [0] * n
    for u, v in edges:
        masks[u] |= 1 << v
        masks[v] |= 1 << u
    return masks


def bridges(n: int, edges: Iterable[Edge]) -> list[Edge]:
    """The edges of a simple graph, smaller vertex first, that lie on no cycle."""
    edges = [ordered(u, v) for u, v in edges]
    neighbours = neighbour_lists(n, edges)
    above: dict[int, int] = {}  # a spanning forest; a root is above itself
    depth = [0] * n
    for root in range(n):
        if root in above:
            continue
        above[root] = root
        reached = [root]
        for u in reached:
            for v in neighbours[u]:
                if v not in above:
                    above[v], depth[v] = u, depth[u] + 1
                    reached.append(v)
    blocks = DisjointSets(n)  # vertices on common cycles; find() gives the uppermost
    for u, v in edges:
        if above[u] == v or above[v] == u:
            continue
        u, v = blocks.find(u), blocks.find(v)
        while u != v:
            if depth[u] < depth[v]:
                u, v = v, u
            blocks.join(u, above[u])
            u = blocks.find(u)
    return [ordered(v, above[v]) for v in range(n) if blocks.find(v) == v and above[v] != v]


def eulerian_circuit(n: int, edges: Iterable[Edge], start: int = 0) -> list[int]:
    """The vertices of a closed walk from the start that uses each edge once (Hierholzer).

    The edges must be connected, the start on one of them, and all degrees even.
    """
    neighbours: list[list[tuple[int, int]]] = [[] for _ in range(n)]  # with the edge to each
    used: list[bool] = []
    for i, (u, v) in enumerate(edges):
        used.append(False)
        neighbours[u].append((v, i))
        neighbours[v].append((u, i))
    circuit: list[int] = []
    walk = [start]
    while walk:
        free = neighbours[walk[-1]]
        while free and used[free[-1][1]]:
            free.pop()
        if free:
            v, i = free.pop()
            used[i] = True
            walk.append(v)
        else:
            circuit.append(walk.pop())
    return circuit


def strong_components(n: int, arcs: Iterable[Edge]) -> list[list[int]]:
    """The sets of vertices that reach each other; no arc leads to a later set (Tarjan)."""
    leaving: list[list[int]] = [[] for _ in range(n)]
    for s, t in arcs:
        leaving[s].append(t)
    components: list[list[int]] = []
    number: dict[int, int] = {}  # in the order of discovery
    low = [0] * n  # the smallest number of a vertex still in `open_vertices` that is reached
    open_vertices: list[int] = []
    for root in range(n):
        path = [root] if root not in number else []
        while path:
            v = path[-1]
            if v not in number:
                number[v] = low[v] = len(number)
                open_vertices.append(v)
            new = None
            while leaving[v]:
                new = leaving[v][-1]
                if new not in number:
                    break
                low[v] = min(low[v], low[new])
                leaving[v].pop()
                new = None
            if new is not None:
                path.append(new)
                continue
            path.pop()
            if low[v] == number[v]:
                component: list[int] = []
                while low[v] < n:
                    component.append(open_vertices.pop())
                    low[component[-1]] = n
                components.append(component)
    return components


def minimum_spanning_tree(n: int, edges: Iterable[WeightedEdge]) -> list[WeightedEdge]:
    """Kruskal: the edges, lightest first, that join two parts."""
    parts = DisjointSets(n)
    return [edge for edge in sorted(edges, key=lambda e: e[2]) if parts.join(edge[0], edge[1])]


class ShortestPaths(NamedTuple):
    """The shortest paths from one vertex to all vertices it reaches."""

    distance: dict[int, int]
    before: dict[int, int]  # the last vertex but one of each path

    def to(self, target: int) -> list[int]:
        """The vertices of the path to the target, both ends included."""
        path = [target]
        while path[-1] in self.before:
            path.append(self.before[path[-1]])
        return path[::-1]


def shortest_paths(arcs: Iterable[WeightedEdge], source: int) -> ShortestPaths:
    """Dijkstra: the shortest paths from the source along arcs of non-negative weight."""
    leaving: dict[int, list[Edge]] = {}
    for s, t, w in arcs:
        leaving.setdefault(s, []).append((t, w))
    distance = {source: 0}
    before: dict[int, int] = {}
    heap = [(0, source)]
    while heap:
        so_far, s = heappop(heap)
        if so_far > distance[s]:
            continue
        for t, w in leaving.get(s, ()):
            if t not in distance or so_far + w < distance[t]:
                distance[t] = so_far + w
                before[t] = s
                heappush(heap, (so_far + w, t))
    return ShortestPaths(distance, before)
