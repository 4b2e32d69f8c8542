from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge, WeightedEdge, ordered
from rlve.algorithms.matchings import maximum_weight_matching
from rlve.answers import integers, pairs
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.graphs import edge_count, random_edges
from rlve.text import lines, spaced

EDGE_DENSITIES = (0.1, 0.3, 0.4)


class MaximumWeightMatching(Environment[list[Edge]]):
    """Choose edges of maximum total weight, no two sharing a vertex."""

    N: int
    edge_density: float
    edges: list[WeightedEdge]  # (u, v, w) with u < v
    gold_weight: int  # the maximum total weight
    reference_answer: str

    max_difficulty = 20  # at 26, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Graph(answer="edges")

    template = """
        An undirected graph has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (u, v, w): it joins the vertices u and v and has weight w.

        {edges}

        Choose edges such that no two chosen edges have a vertex in common, and such that their
        total weight is as large as possible. How many edges are chosen does not matter.
        If several choices are best, any of them is right.

        Output format: one line with the ends of the chosen edges, separated by spaces:
        u1 v1 u2 v2 ... The edges can be in any order, and either end of an edge can come first.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = grow(5, d)
        return [{"N": N, "edge_density": p} for p in EDGE_DENSITIES if edge_count(N, p)]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_density: float) -> Self:
        drawn = random_edges(rng, N, edge_count(N, edge_density))
        edges = [(u, v, rng.randint(1, N)) for u, v in drawn]
        weights = {(u, v): w for u, v, w in edges}
        matching = maximum_weight_matching(N, edges)
        return cls(
            N=N,
            edge_density=edge_density,
            edges=edges,
            gold_weight=sum(weights[edge] for edge in matching),
            reference_answer=spaced(x for edge in matching for x in edge),
        )

    def parse(self, text: str) -> list[Edge]:
        return pairs(integers(text))

    def score(self, answer: list[Edge]) -> float:
        weights = {(u, v): w for u, v, w in self.edges}
        chosen = [ordered(u, v) for u, v in answer]
        if len({v for edge in chosen for v in edge}) < 2 * len(chosen):
            return INVALID
        if not weights.keys() >= set(chosen):
            return INVALID
        return ratio(sum(weights[edge] for edge in chosen), self.gold_weight) ** 5
