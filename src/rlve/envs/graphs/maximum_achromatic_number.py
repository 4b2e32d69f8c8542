from math import comb
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.achromatic import achromatic_colouring
from rlve.algorithms.graphs import Edge, ordered
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.rewards import INVALID, ratio
from rlve.sampling.graphs import edge_count, random_edges
from rlve.text import lines, spaced

EDGE_DENSITIES = (0.02, 0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95)


class MaximumAchromaticNumber(Environment[list[int]]):
    """Colour a graph, every two colours meeting at an edge, with as many colours as possible.

    Any integers can be colours, including negative ones.
    """

    N: int
    edge_density: float
    edges: list[Edge]  # (u, v) with u < v
    gold_answer: int  # the largest number of colours
    reference_answer: str

    max_difficulty = 18  # beyond it, the exact search can take many seconds
    unique_up_to = None  # several answers can be right
    picture = Graph(answer="classes")

    template = """
        An undirected graph has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (u, v): it joins the vertices u and v.

        {edges}

        Give every vertex a colour, any integer, such that
        - the two ends of each edge have different colours;
        - every two colours that are used meet: some edge has one of them at each end.
        Use as many different colours as possible. If several colourings are best, any of them is
        right.

        Output format: one line with the colours of the vertices 0 to {last} in this order,
        separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = 5 + d
        return [{"N": N, "edge_density": p} for p in EDGE_DENSITIES if edge_count(N, p)]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_density: float) -> Self:
        edges = random_edges(rng, N, edge_count(N, edge_density))
        colouring = achromatic_colouring(N, edges)
        return cls(
            N=N,
            edge_density=edge_density,
            edges=edges,
            gold_answer=len(set(colouring)),
            reference_answer=spaced(colouring),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N or any(answer[u] == answer[v] for u, v in self.edges):
            return INVALID
        colours = len(set(answer))
        if len({ordered(answer[u], answer[v]) for u, v in self.edges}) < comb(colours, 2):
            return INVALID
        return ratio(colours, self.gold_answer) ** 5
