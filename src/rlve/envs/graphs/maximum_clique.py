from itertools import combinations
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.cliques import maximum_clique
from rlve.algorithms.graphs import Edge, ordered
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.rewards import INVALID, ratio
from rlve.sampling.graphs import edge_count, random_edges
from rlve.sampling.rejection import prefer
from rlve.text import lines, spaced
from rlve.work import Work, list_neighbours

EDGE_DENSITIES = (0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95)


class MaximumClique(Environment[list[int]]):
    """Find as many pairwise adjacent vertices of a graph as possible.

    Without a triangle, every edge is an answer, so such graphs are redrawn; the lowest densities
    rarely have others.
    """

    N: int
    edge_density: float
    edges: list[Edge]  # (u, v) with u < v
    gold_answer: int  # the largest number of vertices
    reference_answer: str

    guessable = "At low densities, where most graphs have no triangle, the first edge is right."

    max_difficulty = 35  # at 42, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Graph(answer="vertices")

    template = """
        An undirected graph has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (u, v): it joins the vertices u and v.

        {edges}

        Choose as many different vertices as possible such that every two of them are joined by an
        edge. If several choices are largest, any of them is right.

        Output format: one line with the chosen vertices, in any order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = 4 + 2 * d
        return [{"N": N, "edge_density": p} for p in EDGE_DENSITIES if edge_count(N, p)]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_density: float) -> Self:
        def draw() -> Self:
            edges = random_edges(rng, N, edge_count(N, edge_density))
            clique = maximum_clique(N, edges)
            return cls(
                N=N,
                edge_density=edge_density,
                edges=edges,
                gold_answer=len(clique),
                reference_answer=spaced(clique),
            )

        return prefer(draw, lambda problem: problem.gold_answer > 2)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) > self.N or len(set(answer)) < len(answer):
            return INVALID
        if not all(0 <= v < self.N for v in answer):
            return INVALID
        if not set(self.edges) >= {ordered(u, v) for u, v in combinations(answer, 2)}:
            return INVALID
        return ratio(len(answer), self.gold_answer) ** 5

    def work(self) -> Work[str]:
        near = yield from list_neighbours(range(self.N), self.edges)
        yield "Each larger set is a smaller one and a larger vertex that is joined to all of it."
        cliques = [list(edge) for edge in sorted(self.edges)]
        best = cliques[0]
        while cliques:
            best = cliques[0]
            yield f"{len(best)} vertices: " + ", ".join(map(spaced, cliques))
            cliques = [
                [*clique, v]
                for clique in cliques
                for v in near[clique[-1]]
                if v > clique[-1] and all(v in near[u] for u in clique)
            ]
        yield f"{len(best) + 1} vertices: none. So a largest set is {spaced(best)}"
        return spaced(best)
