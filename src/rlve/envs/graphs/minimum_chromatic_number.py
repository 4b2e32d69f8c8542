from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.colouring import minimum_colouring
from rlve.algorithms.graphs import Edge
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.rewards import INVALID, ratio
from rlve.sampling.graphs import edge_count, random_edges
from rlve.text import lines, spaced
from rlve.work import Work, list_neighbours, search

EDGE_DENSITIES = (0.02, 0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95)


class MinimumChromaticNumber(Environment[list[int]]):
    """Colour a graph, adjacent vertices differently, with as few colours as possible.

    Any integers can be colours, including negative ones.
    """

    N: int
    edge_density: float
    edges: list[Edge]  # (u, v) with u < v
    reference_answer: str
    gold_answer: int  # the smallest number of colours

    max_difficulty = 50  # at 60, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Graph(answer="classes")

    template = """
        An undirected graph has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (u, v): it joins the vertices u and v.

        {edges}

        Give every vertex a colour, any integer, such that the two ends of each edge have different
        colours. Use as few different colours as possible. If several colourings are best, any of
        them is right.

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
        colouring = minimum_colouring(N, edges)
        return cls(
            N=N,
            edge_density=edge_density,
            edges=edges,
            reference_answer=spaced(colouring),
            gold_answer=len(set(colouring)),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N or any(answer[u] == answer[v] for u, v in self.edges):
            return INVALID
        return ratio(self.gold_answer, len(set(answer))) ** 5

    def work(self) -> Work[str | None]:
        near = yield from list_neighbours(range(self.N), self.edges)
        yield "There are edges, so 1 colour is too few. A new colour may as well be the next one."
        yield "Where a colour does not fit, the neighbour that has it is named."
        for count in range(2, self.N + 1):
            yield f"Colours 1 to {count}, vertex after vertex from 0 on:"
            found = yield from search(
                lambda colours, count=count: range(1, min(count, max(colours, default=0) + 1) + 1),
                lambda colours, c: next(
                    (
                        f"{u} has it"
                        for u, x in enumerate(colours)
                        if x == c and u in near[len(colours)]
                    ),
                    None,
                ),
                lambda colours: len(colours) == self.N,
            )
            if found:
                return spaced(found)
            yield f"So {count} colours are too few"
        return None
