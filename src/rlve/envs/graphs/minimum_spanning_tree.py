from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge, WeightedEdge, is_connected, minimum_spanning_tree, ordered
from rlve.answers import integers, pairs
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.graphs import edge_count, random_connected_graph
from rlve.text import lines, spaced
from rlve.work import Work, kruskal

EDGE_DENSITIES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9)


class MinimumSpanningTree(Environment[list[Edge]]):
    """Connect all vertices of a weighted graph by edges of minimum total weight."""

    N: int
    edge_density: float
    edges: list[WeightedEdge]  # (u, v, w) with u < v
    reference_answer: str
    gold_answer: int  # the minimum total weight

    max_difficulty = 20  # at 23, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Graph(answer="edges")

    template = """
        A connected undirected graph has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (u, v, w): it joins the vertices u and v and has weight w.

        {edges}

        Choose exactly {size} of these edges such that they connect all {N} vertices.
        Make the total weight of the chosen edges as small as possible.
        If several choices are best, any of them is right.

        Output format: the endpoints of the chosen edges, separated by spaces: u1 v1 u2 v2 ...
        The edges can be in any order, and either endpoint of an edge can come first.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, size=self.N - 1, edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = grow(4, d)
        dense_enough = [p for p in EDGE_DENSITIES if edge_count(N, p) > N - 1]
        return [{"N": N, "edge_density": p} for p in dense_enough]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_density: float) -> Self:
        m = edge_count(N, edge_density)
        edges = [(u, v, rng.randint(1, max(1, m))) for u, v in random_connected_graph(rng, N, m)]
        tree = minimum_spanning_tree(N, edges)
        return cls(
            N=N,
            edge_density=edge_density,
            edges=edges,
            reference_answer=spaced(x for u, v, _ in tree for x in (u, v)),
            gold_answer=sum(w for _, _, w in tree),
        )

    def parse(self, text: str) -> list[Edge]:
        return pairs(integers(text))

    def score(self, answer: list[Edge]) -> float:
        weights = {(u, v): w for u, v, w in self.edges}
        chosen = [ordered(u, v) for u, v in answer]
        if len(chosen) != self.N - 1 or not weights.keys() >= set(chosen):
            return INVALID
        if not is_connected(self.N, chosen):
            return INVALID
        return ratio(self.gold_answer, sum(weights[edge] for edge in chosen)) ** 5

    def work(self) -> Work[str]:
        tree = yield from kruskal(self.N, self.edges)
        return spaced(x for u, v, _ in tree for x in (u, v))
