from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge, neighbour_masks
from rlve.algorithms.search import lightest_cover
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.rewards import INVALID, ratio
from rlve.sampling.graphs import edge_count, random_edges
from rlve.text import indexed, lines, spaced
from rlve.work import Work, find_cover, list_neighbours

EDGE_DENSITIES = (
    *(0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9),
)


class Minimum_DominatingSet(Environment[list[int]]):
    """Choose vertices of minimum total cost so that every other vertex has a chosen neighbour."""

    N: int
    edge_density: float
    edges: list[Edge]  # (u, v) with u < v
    C: list[int]  # the cost of each vertex
    covering: list[int]  # each vertex and its neighbours, as bits
    reference_answer: str
    gold_answer: int  # the minimum total cost

    max_difficulty = 60  # the search for the minimum takes exponential time
    unique_up_to = None  # several answers can be right
    picture = Graph(values="C", answer="vertices")

    template = """
        An undirected graph has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (u, v): it joins the vertices u and v.

        {edges}

        Choosing vertex i costs C[i]:
        {costs}

        Choose distinct vertices such that each vertex of the graph is chosen or has at least one
        neighbour that is chosen. Make the total cost of the chosen vertices as small as possible.
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
        covering = [near | 1 << v for v, near in enumerate(neighbour_masks(N, edges))]
        chosen = lightest_cover((1 << N) - 1, covering, C)
        return cls(
            N=N,
            edge_density=edge_density,
            edges=edges,
            C=C,
            covering=covering,
            reference_answer=spaced(chosen),
            gold_answer=sum(C[v] for v in chosen),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        chosen = set(answer)
        if len(chosen) != len(answer) or not chosen.issubset(range(self.N)):
            return INVALID
        covered = 0
        for v in answer:
            covered |= self.covering[v]
        if covered != (1 << self.N) - 1:
            return INVALID
        return ratio(self.gold_answer, sum(self.C[v] for v in answer)) ** 5

    def work(self) -> Work[str]:
        yield "Each vertex needs itself or a neighbour."
        near = yield from list_neighbours(range(self.N), self.edges)
        needs = {f"vertex {v}": [v, *others] for v, others in near.items()}
        return spaced((yield from find_cover(needs, dict(enumerate(self.C)))))
