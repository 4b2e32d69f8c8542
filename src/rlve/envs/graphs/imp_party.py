from itertools import combinations
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge, ordered
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.text import lines, spaced
from rlve.work import Work, list_neighbours


class ImpParty(Environment[list[int]]):
    """Find a third of the vertices, pairwise adjacent, in a graph where two thirds are.

    Each vertex outside the planted clique has its own number of neighbours in it, and random
    neighbours outside; otherwise the vertices of highest degree would be an answer at all levels.
    Graphs in which random vertices are an answer are redrawn.
    """

    N: int  # a third of the number of vertices
    edges: list[Edge]  # (u, v) with u < v
    reference_answer: str

    max_difficulty = 25  # at 30, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Graph(vertices=None, answer="vertices")

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
        def draw() -> Self:
            edges, clique = planted_clique(rng, N)
            return cls(N=N, edges=edges, reference_answer=spaced(rng.sample(clique, N)))

        guesses = [rng.sample(range(3 * N), N) for _ in range(4)]
        return prefer(draw, until=lambda problem: max(map(problem.score, guesses)) < 1)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N or len(set(answer)) < self.N:
            return INVALID
        if not all(0 <= v < 3 * self.N for v in answer):
            return INVALID
        wanted = {ordered(u, v) for u, v in combinations(answer, 2)}
        return ratio(len(wanted & set(self.edges)), len(wanted)) ** 5

    def work(self) -> Work[str]:
        count = 3 * self.N
        near = yield from list_neighbours(range(count), self.edges)
        yield f"Two that are not adjacent are not both among the {2 * self.N}: strike out both."
        yield f"Each such pair has at least one of the {self.N} others, so there are at most"
        yield f"{self.N} pairs, and {self.N} or more vertices stay."
        left = list(range(count))
        for u in range(count):
            apart = [v for v in left if v > u and v not in near[u]]
            if u in left and apart:
                left.remove(u)
                left.remove(apart[0])
                yield f"{u} and {apart[0]} are not adjacent. Left: {spaced(left)}"
        yield f"Now all are pairwise adjacent. The first {self.N}: {spaced(left[: self.N])}"
        return spaced(left[: self.N])


def planted_clique(rng: Random, third: int) -> tuple[list[Edge], list[int]]:
    """A graph, in random order, and a clique of two thirds of its vertices."""
    order = rng.sample(range(3 * third), 3 * third)
    clique, others = order[: 2 * third], order[2 * third :]
    edges = list(combinations(clique, 2))
    for v in others:
        edges += [(u, v) for u in rng.sample(clique, rng.randint(0, len(clique)))]
    outside = list(combinations(others, 2))
    edges += rng.sample(outside, rng.randint(0, len(outside)))
    rng.shuffle(edges)
    return [ordered(u, v) for u, v in edges], clique
