from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import DisjointSets, Edge, WeightedEdge, ordered, shortest_paths
from rlve.algorithms.trees import RootedTree
from rlve.answers import integers
from rlve.errors import GenerationError
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.graphs import random_edges
from rlve.text import lines, spaced
from rlve.work import Work

EDGE_RATIOS = tuple(tenths / 10 for tenths in range(10, 31))


class MinimumRatioPath(Environment[list[int]]):
    """Find a path with the smallest ratio between its largest and its smallest edge weight."""

    N: int
    edge_ratio: float  # edges per vertex
    edges: list[WeightedEdge]  # (u, v, w) with u < v
    gold_answer: Edge  # the largest and the smallest weight on a best path

    max_difficulty = 35  # at 45, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Graph(answer="path")

    template = """
        A connected undirected graph has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (u, v, w): it joins the vertices u and v and has weight w.

        {edges}

        Find a path along edges from vertex 0 to vertex {last} that makes this quotient as small
        as possible: the largest weight of an edge on the path, divided by the smallest weight of
        an edge on the path. The path may visit a vertex more than once.
        If several paths have the smallest quotient, any of them is right.

        Output format: one line with the vertices of the path in order, separated by spaces.
        The first is 0 and the last is {last}.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = grow(4, d)
        return [{"N": N, "edge_ratio": r} for r in EDGE_RATIOS if int(N * r) <= N * (N - 1) // 2]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_ratio: float) -> Self:
        m = int(N * edge_ratio)
        path = [0, *rng.sample(range(1, N - 1), N - 2), N - 1]
        edges = [ordered(u, v) for u, v in pairwise(path)]
        # All pairs can be added except those on the path and that of its ends.
        missing = max(0, min(m, N * (N - 1) // 2 - 1) - len(edges))
        edges += random_edges(rng, N, missing, besides=[*edges, (0, N - 1)])
        weighted = [(u, v, rng.randint(1, max(1, 5 * m))) for u, v in edges]
        rng.shuffle(weighted)
        return cls(
            N=N, edge_ratio=edge_ratio, edges=weighted, gold_answer=closest_bounds(N, weighted)
        )

    def parse(self, text: str) -> list[int]:
        return integers(text, at_least=1)

    def score(self, answer: list[int]) -> float:
        weights = {(u, v): w for u, v, w in self.edges}
        steps = {ordered(u, v) for u, v in pairwise(answer)}
        if answer[0] != 0 or answer[-1] != self.N - 1 or not weights.keys() >= steps:
            return INVALID
        taken = [weights[step] for step in steps]
        largest, smallest = self.gold_answer
        return ratio(largest * min(taken), max(taken) * smallest) ** 5

    def reference(self) -> str:
        largest, smallest = self.gold_answer
        usable = [edge for edge in self.edges if smallest <= edge[2] <= largest]
        arcs = usable + [(v, u, w) for u, v, w in usable]
        return spaced(shortest_paths(arcs, 0).to(self.N - 1))

    def work(self) -> Work[str]:
        last = self.N - 1
        ascending = sorted(self.edges, key=lambda edge: edge[2])
        yield "Edges by weight: " + ", ".join(f"{u}-{v} ({w})" for u, v, w in ascending)
        yield f"From each weight on, take edges in this order until a path joins 0 and {last}."
        yield "Weights from a to b: the quotient is at most b/a; if less, a later start finds it."
        best, way = "", list[int]()
        for low in dict.fromkeys(w for _, _, w in ascending):
            taken = [edge for edge in ascending if edge[2] >= low]
            if last not in RootedTree(edges_of(taken), 0).depth:
                yield f"From {low} on, no path joins 0 and {last}"
                break
            while last in RootedTree(edges_of(taken[:-1]), 0).depth:
                taken.pop()
            path = RootedTree(edges_of(taken), 0).path(last)
            high = taken[-1][2]
            found = f"From {low} to {high}: {spaced(path)}, {high}/{low}"
            if not best or Fraction(high, low) < Fraction(best):
                yield f"{found} < {best}, better" if best else found
                best, way = f"{high}/{low}", path
            else:
                yield f"{found} >= {best}"
        return spaced(way)


def edges_of(weighted: list[WeightedEdge]) -> list[tuple[int, int]]:
    """The edges without their weights."""
    return [(u, v) for u, v, _ in weighted]


def closest_bounds(n: int, edges: list[WeightedEdge]) -> tuple[int, int]:
    """The largest and smallest weight on a best path: the best range that joins the ends."""
    by_weight = sorted(edges, key=lambda edge: edge[2])
    best = None
    for start in range(len(by_weight)):
        parts = DisjointSets(n)
        for u, v, w in by_weight[start:]:
            parts.join(u, v)
            if parts.find(0) == parts.find(n - 1):
                bounds = w, by_weight[start][2]
                if best is None or bounds[0] * best[1] < best[0] * bounds[1]:
                    best = bounds
                break
    if best is None:
        raise GenerationError("no path joins the ends")
    return best
