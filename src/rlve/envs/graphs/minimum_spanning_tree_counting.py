from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import WeightedEdge
from rlve.algorithms.spanning_trees import minimum_spanning_tree_count
from rlve.answers import integer
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import exact_residue
from rlve.sampling.graphs import random_connected_graph
from rlve.sampling.rejection import spread
from rlve.text import lines

EDGE_RATIOS = tuple(tenths / 10 for tenths in range(10, 51))


class MinimumSpanningTreeCounting(Environment[int]):
    """Count the minimum spanning trees of a weighted graph modulo a number.

    A few small counts would dominate, so each of several graphs with different counts is equally
    likely. The modulus is at least 1000 so that a remainder is hard to guess.
    """

    N: int
    edge_ratio: float  # edges per vertex
    edges: list[WeightedEdge]  # (u, v, w) with u < v
    MOD: int
    reference_answer: int

    max_difficulty = 35  # at 42, a prompt exceeds 32,000 characters
    picture = Graph()

    template = """
        A connected undirected graph has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (u, v, w): it joins the vertices u and v and has weight w.

        {edges}

        A spanning tree is a set of {size} of these edges that connects all {N} vertices.
        It is a minimum spanning tree if no spanning tree has a smaller total weight.
        How many different minimum spanning trees does the graph have? Two of them are different
        if their sets of edges are. Give the number modulo {MOD}.

        Output format: one integer from 0 to {largest}.
        """

    def prompt(self) -> str:
        return self.fill(
            last=self.N - 1, size=self.N - 1, edges=lines(self.edges), largest=self.MOD - 1
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = grow(4, d)
        return [{"N": N, "edge_ratio": r} for r in EDGE_RATIOS if int(N * r) <= N * (N - 1) // 2]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_ratio: float) -> Self:
        heaviest = max(1, int(edge_ratio * N / 10)) + 1

        def draw() -> tuple[list[WeightedEdge], int]:
            graph = random_connected_graph(rng, N, int(edge_ratio * N))
            edges = [(u, v, rng.randint(1, heaviest)) for u, v in graph]
            return edges, minimum_spanning_tree_count(N, edges)

        edges, count = spread(rng, draw, by=lambda drawn: drawn[1])
        MOD = rng.randint(1000, 10_000)
        return cls(N=N, edge_ratio=edge_ratio, edges=edges, MOD=MOD, reference_answer=count % MOD)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, self.MOD)
