from itertools import combinations
from random import Random
from typing import Self

from rlve.algorithms.graphs import Edge, ordered
from rlve.answers import integers
from rlve.environment import Environment, Level
from rlve.rewards import INVALID, ratio
from rlve.text import lines, spaced


class ImpParty(Environment[list[int]]):
    """Find a third of the vertices that are pairwise adjacent where two thirds are known to be.

    The vertices outside the planted clique are joined at random as well: without such edges, a
    high degree would give the clique away.
    """

    N: int  # a third of the number of vertices
    edges: list[Edge]  # (u, v) with u < v
    reference_answer: str

    template = """
        An undirected graph has {count} vertices, numbered from 0 to {last}.
        Each line below is one edge (u, v): it joins the vertices u and v.

        {edges}

        Some {double} vertices of the graph are pairwise adjacent: every two of them are joined by
        an edge. Find any {N} different vertices that are pairwise adjacent.

        Output format: one line with the {N} vertices, in any order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(
            count=3 * self.N, last=3 * self.N - 1, double=2 * self.N, edges=lines(self.edges)
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        order = rng.sample(range(3 * N), 3 * N)
        clique, others = order[: 2 * N], order[2 * N :]
        crossing = [(u, v) for u in clique for v in others]
        outside = list(combinations(others, 2))
        chosen = [
            *combinations(clique, 2),
            *rng.sample(crossing, rng.randint(0, len(crossing))),
            *rng.sample(outside, rng.randint(0, len(outside))),
        ]
        rng.shuffle(chosen)
        return cls(
            N=N,
            edges=[ordered(u, v) for u, v in chosen],
            reference_answer=spaced(rng.sample(clique, N)),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N or len(set(answer)) < self.N:
            return INVALID
        if not all(0 <= v < 3 * self.N for v in answer):
            return INVALID
        wanted = {ordered(u, v) for u, v in combinations(answer, 2)}
        return ratio(len(wanted & set(self.edges)), len(wanted)) ** 5
