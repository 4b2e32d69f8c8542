from itertools import pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import is_permutation
from rlve.algorithms.graphs import Edge
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.rewards import INVALID, ratio
from rlve.sampling.graphs import arc_count, random_arcs
from rlve.text import lines, spaced
from rlve.work import Work, list_neighbours, search

EDGE_DENSITIES = (0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95)


class HamiltonianPathExistence(Environment[list[int]]):
    """Find a path along the edges of a directed graph that visits every vertex exactly once.

    At d = 0 the graphs are so dense that any fixed order is right in 44% of them; no redraw can
    change that, as the number of edges is fixed. From d = 1 on it is less than a third.
    """

    N: int
    edge_density: float
    edges: list[Edge]  # (s, t): from s to t
    reference_answer: str

    guessable = "With three vertices, as at difficulty 0, there are only six orders."

    max_difficulty = 55  # at 60, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Graph(directed=True, answer="path")

    template = """
        A directed graph has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (s, t): it leads from s to t only.

        {edges}

        Find a path that visits every vertex exactly once: an order of all {N} vertices in which
        an edge leads from each vertex to the next. There is at least one; any of them is right.

        Output format: one line with the {N} vertices in the order of the path, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = 3 + d
        return [{"N": N, "edge_density": p} for p in EDGE_DENSITIES if arc_count(N, p) >= N]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_density: float) -> Self:
        path = rng.sample(range(N), N)
        edges = list(pairwise(path))
        missing = arc_count(N, edge_density) - len(edges)
        edges += random_arcs(rng, N, missing, besides=edges)
        rng.shuffle(edges)
        return cls(N=N, edge_density=edge_density, edges=edges, reference_answer=spaced(path))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if not is_permutation(answer, self.N):
            return INVALID
        edges = set(self.edges)
        existing = sum(step in edges for step in pairwise(answer))
        return ratio(existing, self.N - 1) ** 5

    def work(self) -> Work[str | None]:
        near = yield from list_neighbours(range(self.N), self.edges, directed=True)
        yield "Try the vertices that are left in ascending order; go back where there is no way on."
        path = yield from search(
            lambda path: [v for v in near[path[-1]] if v not in path] if path else near,
            lambda path, v: None,
            lambda path: len(path) == self.N,
        )
        return spaced(path) if path else None
