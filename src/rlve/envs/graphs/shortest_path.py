from itertools import pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import WeightedEdge, shortest_paths
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.graphs import arc_count, random_arcs
from rlve.text import lines, spaced
from rlve.work import Work, dijkstra, path_back

EDGE_DENSITIES = (0.01, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)


class ShortestPath(Environment[list[int]]):
    """Find a lightest walk from the first to the last vertex of a weighted directed graph.

    A density too low for a second route (all of them at d = 0, and 0.01 at every d up to 20) leaves
    a single path to follow. This is due to the schedule, and no redraw can change it.
    """

    N: int
    edge_density: float
    edges: list[WeightedEdge]  # (s, t, w): from s to t
    reference_answer_weight: int  # the minimum total weight
    reference_answer: str

    max_difficulty = 24  # at 25, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Graph(directed=True, answer="path")

    template = """
        A directed graph has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (s, t, w): it leads from s to t only and has weight w.

        {edges}

        Find a walk along edges from vertex 0 to vertex {last} of the smallest total weight.
        There is such a walk; if there are several, any of them is right.

        Output format: one line with the vertices of the walk in order, separated by spaces.
        The first is 0 and the last is {last}.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(4, d), "edge_density": p} for p in EDGE_DENSITIES]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_density: float) -> Self:
        path = [0, *rng.sample(range(1, N - 1), N - 2), N - 1]
        planted = list(pairwise(path))
        missing = max(0, arc_count(N, edge_density) - len(planted))
        others = random_arcs(rng, N, missing, besides=[*planted, (0, N - 1)])
        edges = [(s, t, rng.randint(1, max(1, N // 3))) for s, t in planted]
        edges += [(s, t, rng.randint(max(1, N // 2), N)) for s, t in others]
        rng.shuffle(edges)
        edges = without_two_edge_routes(edges, path)
        shortest = shortest_paths(edges, 0)
        return cls(
            N=N,
            edge_density=edge_density,
            edges=edges,
            reference_answer_weight=shortest.distance[N - 1],
            reference_answer=spaced(shortest.to(N - 1)),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text, at_least=1)

    def score(self, answer: list[int]) -> float:
        weights = {(s, t): w for s, t, w in self.edges}
        steps = list(pairwise(answer))
        if answer[0] != 0 or answer[-1] != self.N - 1 or not weights.keys() >= set(steps):
            return INVALID
        return ratio(self.reference_answer_weight, sum(weights[step] for step in steps)) ** 5

    def work(self) -> Work[str]:
        last = self.N - 1
        found = yield from dijkstra(
            0, lambda v: [(t, w) for s, t, w in self.edges if s == v], goal=last
        )
        return spaced((yield from path_back(found, last)))


def without_two_edge_routes(edges: list[WeightedEdge], path: list[int]) -> list[WeightedEdge]:
    """The edges, less one off the path in each two-edge route between the path's ends."""
    first, last = path[0], path[-1]
    between = {t for s, t, _ in edges if s == first} & {s for s, t, _ in edges if t == last}
    removed = {(first, v) if v == path[-2] else (v, last) for v in between}
    return [(s, t, w) for s, t, w in edges if (s, t) not in removed]
