from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge, neighbour_lists, ordered
from rlve.answers import integer
from rlve.rewards import closeness
from rlve.sampling.graphs import edge_count, random_edges, random_recursive_tree
from rlve.text import lines

EDGE_DENSITIES = tuple(tenths / 10 for tenths in range(1, 10))
VARYING = 12  # vertices that are allowed or not within one array, which stays in the cache


class GraphContainTreeCounting(Environment[int]):
    """Count the ways to map a tree onto a graph with the same number of vertices."""

    N: int
    edge_density: float
    T_edges: list[Edge]  # of the tree, (u, v) with u < v
    G_edges: list[Edge]  # of the graph
    reference_answer: int

    max_difficulty = 14  # counting takes time that grows as 2 ** N; at 15, more than 0.25 s

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
    are counted along the tree. All is modulo 2 ** 64, which exceeds n! for n <= 20.
    """
    import numpy as np

    near = neighbour_lists(n, graph)
    far = [[y for y in range(n) if y not in near[x]] for x in range(n)]
    shapes = min((subtree_shapes(n, tree, root) for root in range(n)), key=len)

    varying = min(n, VARYING)
    allowed = np.zeros((n, 1 << varying), dtype=np.uint64)
    for x in range(varying):
        allowed[x] = np.arange(1 << varying) >> x & 1
    left_out = n - allowed.sum(axis=0).astype(np.int64)  # as if no other vertex were allowed
    odd = left_out % 2 == 1

    maps = np.empty_like(allowed)  # of a subtree, with its root at x, for all x and images allowed
    beside = [np.empty_like(allowed) for _ in shapes[:-1]]  # the same, with its root beside x
    total = 0
    for others in range(1 << (n - varying)):
        for x in range(varying, n):
            allowed[x] = others >> (x - varying) & 1
        found = allowed[0]
        for k, children in enumerate(shapes):
            maps[:] = allowed
            for child in children:
                maps *= beside[child]
            found = maps.sum(axis=0)
            for x, row in enumerate(beside[k] if k < len(beside) else ()):
                row[:] = 0
                for y in min(near[x], far[x], key=len):
                    row += maps[y]
                if len(near[x]) > len(far[x]):
                    np.subtract(found, row, out=row)
        signed = int(found[~odd].sum()) - int(found[odd].sum())
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
