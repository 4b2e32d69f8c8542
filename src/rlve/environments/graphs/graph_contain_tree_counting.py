from collections import Counter
from random import Random
from typing import Self, TypeAlias

from rlve.algorithms.graphs import Edge, neighbour_lists, ordered
from rlve.answers import integer
from rlve.environment import Environment, Level
from rlve.rewards import closeness
from rlve.sampling.graphs import random_edges, random_recursive_tree
from rlve.text import lines

EDGE_DENSITIES = tuple(tenths / 10 for tenths in range(1, 10))
CHUNK = 12  # so many graph vertices vary within one array

Shape: TypeAlias = tuple["Shape", ...]
"""A rooted tree up to renumbering: the shapes of the subtrees below its root, in order."""


class GraphContainTreeCounting(Environment[int]):
    """Count the ways to lay a tree onto a graph with as many vertices."""

    N: int
    edge_density: float
    T_edges: list[Edge]  # of the tree, (u, v) with u < v
    G_edges: list[Edge]  # of the graph
    reference_answer: int

    max_difficulty = 16  # counting takes time that grows as 2 ** N

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
        return self.fill(
            last=self.N - 1, T_edges=lines(self.T_edges), G_edges=lines(self.G_edges)
        )

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


def edge_count(N: int, edge_density: float) -> int:
    return int(edge_density * N * (N - 1) / 2)


def embedding_count(n: int, tree: list[Edge], graph: list[Edge]) -> int:
    """The number of permutations that map the edges of the tree to edges of the graph.

    Inclusion and exclusion over the vertices that may be images: without the condition that no
    image occurs twice, a walk over the tree counts the maps. Arithmetic is modulo 2 ** 64, which
    is exact as n! is less for n <= 20.
    """
    import numpy as np

    near = neighbour_lists(n, graph)
    below = min((subtrees(n, tree, root) for root in range(n)), key=lambda found: len(set(found)))
    *inner, whole = sorted(set(below), key=weight)

    varying = min(n, CHUNK)
    allowed = np.zeros((n, 1 << varying), dtype=np.uint64)
    for x in range(varying):
        allowed[x] = np.arange(1 << varying) >> x & 1
    odd = (allowed.sum(axis=0) + np.uint64(n)) % np.uint64(2) == 1

    total = 0
    for others in range(1 << (n - varying)):
        for x in range(varying, n):
            allowed[x] = others >> (x - varying) & 1
        reach = {}
        ...
    return total % 2**64
