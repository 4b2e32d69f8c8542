from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge, neighbour_lists, ordered
from rlve.answers import integer
from rlve.foundation.pictures import Graph
from rlve.rewards import closeness
from rlve.sampling.graphs import edge_count, random_edges, random_recursive_tree
from rlve.text import lines

EDGE_DENSITIES = tuple(tenths / 10 for tenths in range(1, 10))
VARYING = 10  # vertices that are allowed or not within one array, which stays in the cache


class GraphContainTreeCounting(Environment[int]):
    """Count the ways to map a tree onto a graph with the same number of vertices."""

    N: int
    edge_density: float
    T_edges: list[Edge]  # of the tree, (u, v) with u < v
    G_edges: list[Edge]  # of the graph
    reference_answer: int

    max_difficulty = 14  # counting takes time that grows as 2 ** N; at 15, more than 0.25 s
    picture = (Graph("T_edges"), Graph("G_edges"))

    template = """
        A tree T and an undirected graph G have the same {N} vertices, numbered from 0 to {last}.
        A line (u, v) is an edge: it joins the vertices u and v.

        The edges of T:
        {T_edges}

        The edges of G:
        {G_edges}

        Count the permutations p of the numbers from 0 to {last} such that for every edge (u, v) of
        T there is an edge of G that joins p(u) and p(v).

        Output format: one integer, the number of such permutations.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, T_edges=lines(self.T_edges), G_edges=lines(self.G_edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = 4 + d
        dense_enough = [p for p in EDGE_DENSITIES if edge_count(N, p) >= N - 1]
        return [{"N": N, "edge_density": p} for p in dense_enough]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_density: float) -> Self:
        tree = random_recursive_tree(rng, N)
        p = rng.sample(range(N), N)
        planted = [ordered(p[u], p[v]) for u, v in tree]
        missing = max(0, edge_count(N, edge_density) - len(planted))
        graph = planted + random_edges(rng, N, missing, besides=planted)
        rng.shuffle(tree)
        rng.shuffle(graph)
        return cls(
            N=N,
            edge_density=edge_density,
            T_edges=tree,
            G_edges=graph,
            reference_answer=embedding_count(N, tree, graph),
        )

    def parse(self, text: str) -> int:
        return integer(text, low=1)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10


def embedding_count(n: int, tree: list[Edge], graph: list[Edge]) -> int:
    """The number of permutations that map the edges of the tree to edges of the graph.

    Inclusion and exclusion over the vertices allowed as images: maps under which images may repeat
    are counted along the tree. All is modulo 2 ** 64, which exceeds n! for n <= 20. Maps of a small
    subtree are so few that floating-point numbers, which are faster, hold them exactly.
    """
    import numpy as np

    small = max(k for k in range(n) if (n - 1) ** k < 2**53)  # vertices: n / 2 and more
    by_root = (subtree_shapes(n, tree, root) for root in range(n))
    shapes = min((shapes for shapes in by_root if largest_subtree(shapes) <= small), key=len)
    adjacent = np.zeros((n, n))
    for x, y in graph:
        adjacent[x, y] = adjacent[y, x] = 1

    varying = min(n, VARYING)
    allowed = np.ones((n, 1 << varying))  # those that do not vary have no row if not allowed
    for x in range(varying):
        allowed[x] = np.arange(1 << varying) >> x & 1
    odd = (n - allowed[:varying].sum(axis=0)) % 2 == 1  # as if no other vertex were allowed

    beside = [np.empty_like(allowed) for _ in shapes[:-1]]  # maps of a subtree, its root beside x
    total = 0
    for others in range(1 << (n - varying)):
        images = [x for x in range(n) if x < varying or others >> (x - varying) & 1]
        size = len(images)
        among = adjacent[np.ix_(images, images)]
        for children, found in zip(shapes, beside, strict=False):
            maps = allowed[:size]  # of the subtree, with its root at x
            for child in children:
                maps = maps * beside[child][:size]
            np.matmul(among, maps, out=found[:size])
        whole = allowed[:size].astype(np.uint64)
        for child in shapes[-1]:
            whole *= beside[child][:size].astype(np.uint64)
        signed = int(whole[:, ~odd].sum()) - int(whole[:, odd].sum())
        total += -signed if others.bit_count() % 2 else signed
    return total % 2**64


def subtree_shapes(n: int, tree: list[Edge], root: int) -> list[tuple[int, ...]]:
    """The different subtrees, the whole tree last.

    Each is given by the subtrees below its root, as positions in this list.
    """
    near = neighbour_lists(n, tree)
    above = {root: root}
    order = [root]
    for u in order:
        for v in near[u]:
            if v != above[u]:
                above[v] = u
                order.append(v)
    position: dict[tuple[int, ...], int] = {}
    shape_of: dict[int, int] = {}
    for u in reversed(order):
        shape = tuple(sorted(shape_of[v] for v in near[u] if v != above[u]))
        shape_of[u] = position.setdefault(shape, len(position))
    return list(position)


def largest_subtree(shapes: list[tuple[int, ...]]) -> int:
    """The most vertices of a subtree that is not the whole tree."""
    sizes: list[int] = []
    for children in shapes:
        sizes.append(1 + sum(sizes[child] for child in children))
    return max(sizes[:-1])
