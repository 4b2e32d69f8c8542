from collections import Counter
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import DisjointSets, Edge, is_connected, ordered
from rlve.answers import integers, pairs
from rlve.foundation.pictures import Graph
from rlve.rewards import INVALID, ratio
from rlve.sampling.graphs import edge_count, random_edges, random_recursive_tree
from rlve.text import lines, spaced
from rlve.work import Work, search

EDGE_DENSITIES = (0.1, 0.3, 0.5, 0.7, 0.9)


class DegreeFixed_SpanningTree(Environment[list[Edge]]):
    """Find a spanning tree of a graph in which every vertex has a given degree.

    A tree is planted; any other with these degrees is also right.
    """

    N: int
    edge_density: float
    degrees: list[int]  # required
    edges: list[Edge]  # (u, v) with u < v
    reference_answer: str

    max_difficulty = 70  # at 85, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Graph(values="degrees", answer="edges")

    template = """
        A connected undirected graph has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (u, v): it joins the vertices u and v.

        {edges}

        Choose exactly {size} of these edges such that they connect all {N} vertices and such that
        each vertex i is an end of exactly d_i chosen edges:
        {degrees}

        At least one choice is possible, and any of them is right.

        Output format: one line with the ends of the chosen edges, separated by spaces:
        u1 v1 u2 v2 ... The edges can be in any order, and either end of an edge can come first.
        """

    def prompt(self) -> str:
        degrees = spaced(f"d_{i}={degree}" for i, degree in enumerate(self.degrees))
        return self.fill(last=self.N - 1, size=self.N - 1, edges=lines(self.edges), degrees=degrees)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = 4 + d
        dense_enough = [p for p in EDGE_DENSITIES if edge_count(N, p) > N - 1]
        return [{"N": N, "edge_density": p} for p in dense_enough]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_density: float) -> Self:
        tree = random_recursive_tree(rng, N)
        missing = max(0, edge_count(N, edge_density) - len(tree))
        edges = tree + random_edges(rng, N, missing, besides=tree)
        rng.shuffle(edges)
        return cls(
            N=N,
            edge_density=edge_density,
            degrees=degrees_in(tree, N),
            edges=edges,
            reference_answer=spaced(x for edge in tree for x in edge),
        )

    def parse(self, text: str) -> list[Edge]:
        return pairs(integers(text))

    def score(self, answer: list[Edge]) -> float:
        chosen = [ordered(u, v) for u, v in answer]
        if len(chosen) != self.N - 1 or not set(self.edges) >= set(chosen):
            return INVALID
        if not is_connected(self.N, chosen):
            return INVALID
        met = zip(degrees_in(chosen, self.N), self.degrees, strict=True)
        return ratio(sum(degree == required for degree, required in met), self.N) ** 5

    def work(self) -> Work[str | None]:
        yield "Go through the edges in the given order. An edge is out if an end has its degree"
        yield "already, if it closes a cycle, or if from it on too few edges are left for a vertex."
        yield "Go back where no edge can be added."

        def conflict(chosen: list[Edge], edge: Edge) -> str | None:
            parts = DisjointSets(self.N)
            for u, v in chosen:
                parts.join(u, v)
            have = degrees_in(chosen, self.N)
            for v in edge:
                if have[v] == self.degrees[v]:
                    return f"{v} has {have[v]} already"
            if not parts.join(*edge):
                return "closes a cycle"
            later = degrees_in(self.edges[self.edges.index(edge) :], self.N)
            for v in range(self.N):
                if have[v] + later[v] < self.degrees[v]:
                    return f"too few are left for {v}"
            return None

        tree = yield from search(
            lambda chosen: self.edges[self.edges.index(chosen[-1]) + 1 if chosen else 0 :],
            conflict,
            lambda chosen: len(chosen) == self.N - 1,
            lambda edge: f"{edge[0]}-{edge[1]}",
        )
        return spaced(v for edge in tree for v in edge) if tree else None


def degrees_in(edges: list[Edge], n: int) -> list[int]:
    degree = Counter(v for edge in edges for v in edge)
    return [degree[v] for v in range(n)]
