from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import is_permutation
from rlve.algorithms.graphs import Edge, ordered
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.rewards import INVALID, ratio
from rlve.sampling.graphs import edge_count, random_edges
from rlve.text import lines, spaced
from rlve.work import Work, list_neighbours, search

EDGE_DENSITIES = (0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95)


class GraphIsomorphism(Environment[list[int]]):
    """Find a renumbering of the vertices that turns one graph into another.

    A renumbering is planted; any other that maps all edges is also right.
    """

    N: int
    edge_density: float
    G1_edges: list[Edge]  # (u, v) with u < v
    G2_edges: list[Edge]
    reference_answer: str

    max_difficulty = 50  # at 67, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = (Graph("G1_edges", answer="values"), Graph("G2_edges"))

    template = """
        Two undirected graphs G1 and G2 have {N} vertices each, numbered from 0 to {last}.
        A line (u, v) is an edge: it joins the vertices u and v.

        The edges of G1:
        {G1_edges}

        The edges of G2:
        {G2_edges}

        Find a permutation p of the numbers from 0 to {last} that turns G1 into G2: two vertices u
        and v are joined in G1 if and only if p(u) and p(v) are joined in G2.
        At least one permutation is possible, and any of them is right.

        Output format: one line with p(0) to p({last}) in this order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(
            last=self.N - 1,
            G1_edges=lines(self.G1_edges),
            G2_edges=lines(self.G2_edges),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = 3 + d
        return [{"N": N, "edge_density": p} for p in EDGE_DENSITIES if edge_count(N, p)]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_density: float) -> Self:
        first = random_edges(rng, N, edge_count(N, edge_density))
        p = rng.sample(range(N), N)
        second = [ordered(p[u], p[v]) for u, v in first]
        rng.shuffle(second)
        return cls(
            N=N,
            edge_density=edge_density,
            G1_edges=first,
            G2_edges=second,
            reference_answer=spaced(p),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if not is_permutation(answer, self.N):
            return INVALID
        images = {ordered(answer[u], answer[v]) for u, v in self.G1_edges}
        return ratio(len(images & set(self.G2_edges)), len(self.G1_edges)) ** 10

    def work(self) -> Work[str | None]:
        yield "First G1, then G2:"
        one = yield from list_neighbours(range(self.N), self.G1_edges)
        two = yield from list_neighbours(range(self.N), self.G2_edges)
        yield "Choose p(u) for u = 0, 1, ... among the vertices left with as many neighbours as u."
        yield "It must be joined to those chosen before as u is to 0, 1, ... in G1:"

        def conflict(p: list[int], image: int) -> str | None:
            u = len(p)
            for v in range(u):
                if (v in one[u]) != (p[v] in two[image]):
                    first, second = ("", "not ") if v in one[u] else ("not ", "")
                    here = f"{u} and {v} are {first}joined in G1"
                    return f"{here}, {image} and {p[v]} are {second}in G2"
            return None

        p = yield from search(
            lambda p: [v for v in two if v not in p and len(two[v]) == len(one[len(p)])],
            conflict,
            lambda p: len(p) == self.N,
        )
        return spaced(p) if p else None
