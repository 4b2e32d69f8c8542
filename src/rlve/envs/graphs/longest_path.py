from itertools import pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import WeightedEdge
from rlve.algorithms.tours import heaviest_path
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.rewards import INVALID, ratio
from rlve.sampling.graphs import arc_count, random_arcs
from rlve.text import lines, spaced

EDGE_DENSITIES = (0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95)


class LongestPath(Environment[list[int]]):
    """Find a heaviest path in a directed graph that visits no vertex twice."""

    N: int
    edge_density: float
    edges: list[WeightedEdge]  # (s, t, w): from s to t
    gold_answer: int  # the maximum total weight

    max_difficulty = 45  # at 57, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Graph(directed=True, answer="path")

    template = """
        A directed graph has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (s, t, w): it leads from s to t only and has weight w.

        {edges}

        Find a path along edges that visits no vertex more than once and has the largest total
        weight. It may start and end at any vertex and need not visit all of them.
        If several paths have the largest weight, any of them is right.

        Output format: one line with the vertices of the path in order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = 4 + d
        return [{"N": N, "edge_density": p} for p in EDGE_DENSITIES if arc_count(N, p)]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_density: float) -> Self:
        arcs = random_arcs(rng, N, arc_count(N, edge_density))
        edges = [(s, t, rng.randint(1, N)) for s, t in arcs]
        weights = {(s, t): w for s, t, w in edges}
        gold = sum(weights[step] for step in pairwise(heaviest_path(N, edges)))
        return cls(N=N, edge_density=edge_density, edges=edges, gold_answer=gold)

    def parse(self, text: str) -> list[int]:
        return integers(text, at_least=1)

    def score(self, answer: list[int]) -> float:
        if len(set(answer)) < len(answer) or not all(0 <= v < self.N for v in answer):
            return INVALID
        weights = {(s, t): w for s, t, w in self.edges}
        steps = list(pairwise(answer))
        if not weights.keys() >= set(steps):
            return INVALID
        return ratio(sum(weights[step] for step in steps), self.gold_answer) ** 5

    def reference(self) -> str:
        return spaced(heaviest_path(self.N, self.edges))
