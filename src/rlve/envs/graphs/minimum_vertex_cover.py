from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge
from rlve.algorithms.search import lightest_cover
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.rewards import INVALID, ratio
from rlve.sampling.graphs import edge_count, random_edges
from rlve.text import indexed, lines, spaced
from rlve.work import Work, find_cover

EDGE_DENSITIES = (
    *(0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9),
)


class Minimum_VertexCover(Environment[list[int]]):
    """Choose vertices of minimum total cost that include an end of every edge."""

    N: int
    edge_density: float
    edges: list[Edge]  # (u, v) with u < v
    C: list[int]  # the cost of each vertex
    reference_answer: str
    gold_answer: int  # the minimum total cost

    max_difficulty = 40  # the search for the minimum takes exponential time
    unique_up_to = None  # several answers can be right
    picture = Graph(values="C", answer="vertices")

    template = """
        An undirected graph has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (u, v): it joins the vertices u and v.

        {edges}

        Choosing vertex i costs C[i]:
        {costs}

        Choose distinct vertices such that at least one of the two ends of every edge is chosen.
        Make the total cost of the chosen vertices as small as possible.
        If several choices have the smallest cost, any of them is right.

        Output format: one line with the chosen vertices in any order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(
            last=self.N - 1, edges=lines(self.edges), costs=lines(indexed("C", self.C).split())
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = 4 + d
        return [{"N": N, "edge_density": p} for p in EDGE_DENSITIES if edge_count(N, p) > 0]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_density: float) -> Self:
        edges = random_edges(rng, N, edge_count(N, edge_density))
        C = [rng.randint(1, 10) for _ in range(N)]
        chosen = lightest_vertex_cover(edges, C)
        return cls(
            N=N,
            edge_density=edge_density,
            edges=edges,
            C=C,
            reference_answer=spaced(chosen),
            gold_answer=sum(C[v] for v in chosen),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        chosen = set(answer)
        if len(chosen) != len(answer) or not chosen.issubset(range(self.N)):
            return INVALID
        if not all(u in chosen or v in chosen for u, v in self.edges):
            return INVALID
        return ratio(self.gold_answer, sum(self.C[v] for v in answer)) ** 5

    def work(self) -> Work[str]:
        yield "Each edge needs one of its two ends."
        needs = {f"edge {u}-{v}": [u, v] for u, v in self.edges}
        return spaced((yield from find_cover(needs, dict(enumerate(self.C)))))


def lightest_vertex_cover(edges: list[Edge], costs: list[int]) -> list[int]:
    """A vertex covers the edges at it."""
    covered = [0] * len(costs)
    for i, edge in enumerate(edges):
        for v in edge:
            covered[v] |= 1 << i
    return lightest_cover((1 << len(edges)) - 1, covered, costs)
