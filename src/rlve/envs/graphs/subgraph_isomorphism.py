from itertools import combinations
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge, ordered
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.rewards import INVALID, ratio
from rlve.sampling.graphs import edge_count, random_edges
from rlve.text import lines, spaced

EDGE_DENSITIES = (0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95)


class SubgraphIsomorphism(Environment[list[int]]):
    """Find a graph inside another: map its vertices so that edges and non-edges agree.

    By the schedule, every difficulty has some easy problems: three vertices to map, or graphs that
    are almost empty or almost complete.
    """

    N2: int
    edge_density: float
    G2_edges: list[Edge]  # (u, v) with u < v
    N1: int
    G1_edges: list[Edge]  # (u, v) with u < v
    reference_answer: str

    max_difficulty = 90  # at 105, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = (Graph("G1_edges", "N1"), Graph("G2_edges", "N2", answer="vertices"))

    template = """
        The undirected graph G1 has {N1} vertices, numbered from 0 to {last1}.
        Its edges (u, v), one per line:
        {edges1}

        The undirected graph G2 has {N2} vertices, numbered from 0 to {last2}.
        Its edges (u, v), one per line:
        {edges2}

        Find a vertex p(u) of G2 for each vertex u of G1 such that
        - different vertices of G1 get different vertices of G2;
        - for any two vertices u and v of G1, (u, v) is an edge of G1 if and only if
          (p(u), p(v)) is an edge of G2.
        At least one solution exists; any of them is right.

        Output format: one line with the {N1} integers p(0) to p({last1}), separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(
            last1=self.N1 - 1,
            edges1=lines(self.G1_edges) or "(none)",
            last2=self.N2 - 1,
            edges2=lines(self.G2_edges),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N2 = 3 + d
        return [{"N2": N2, "edge_density": p} for p in EDGE_DENSITIES if edge_count(N2, p) > 0]

    @classmethod
    def sample(cls, rng: Random, N2: int, edge_density: float) -> Self:
        G2_edges = random_edges(rng, N2, edge_count(N2, edge_density))
        N1 = rng.randint(3, N2)
        planted = rng.sample(range(N2), N1)
        original = {v: u for u, v in enumerate(planted)}
        G1_edges = [
            ordered(original[u], original[v])
            for u, v in G2_edges
            if u in original and v in original
        ]
        rng.shuffle(G1_edges)
        return cls(
            N2=N2,
            edge_density=edge_density,
            G2_edges=G2_edges,
            N1=N1,
            G1_edges=G1_edges,
            reference_answer=spaced(planted),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N1 or len(set(answer)) != self.N1:
            return INVALID
        if not set(range(self.N2)).issuperset(answer):
            return INVALID
        G1, G2 = set(self.G1_edges), set(self.G2_edges)
        pairs = list(combinations(range(self.N1), 2))
        agreeing = sum(((u, v) in G1) == (ordered(answer[u], answer[v]) in G2) for u, v in pairs)
        return ratio(agreeing, len(pairs)) ** 10
