from itertools import pairwise
from math import inf
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.flows import Network
from rlve.algorithms.graphs import WeightedEdge
from rlve.answers import integer_rows
from rlve.foundation.pictures import Graph
from rlve.rewards import INVALID, ratio
from rlve.text import grid, lines

NOT_COVERED = -0.2


class MinPathCover_DAG(Environment[list[list[int]]]):
    """Cover all edges of a directed acyclic graph by paths from vertex 1 at minimum total weight.

    Except for 1, the vertices are numbered at random, so the numbers do not reveal the order.
    """

    N: int
    edges: list[WeightedEdge]  # (s, t, w): from s to t
    gold_answer: int  # the minimum total weight

    max_difficulty = 70  # at 85, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Graph(first=1, directed=True, answer="path")

    template = """
        A directed graph without cycles has {N} vertices, numbered from 1 to {N}.
        Each line below is one edge (s, t, w): it leads from s to t only and has weight w.
        Every vertex can be reached from vertex 1.

        {edges}

        Choose any number of paths along edges. Each path starts at vertex 1 and can end at any
        vertex, and every edge of the graph must lie on at least one of the paths. The weight of a
        path is the sum of the weights of its edges; an edge counts for every path that uses it.
        Make the total weight of all paths as small as possible. If several choices are best, any
        of them is right.

        Output format: one path per line, in any order: its vertices in order, separated by spaces,
        from vertex 1 on.
        """

    def prompt(self) -> str:
        return self.fill(edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 4 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        order = [1, *rng.sample(range(2, N + 1), N - 1)]
        edges = [
            (s, order[i], rng.randint(1, N * (N - 1)))
            for i in range(1, N)
            for s in rng.sample(order[:i], rng.randint(1, i))
        ]
        rng.shuffle(edges)
        uses = cheapest_uses(N, edges)
        weight = sum(times * w for times, (_, _, w) in zip(uses, edges, strict=True))
        return cls(N=N, edges=edges, gold_answer=weight)

    def parse(self, text: str) -> list[list[int]]:
        return integer_rows(text)

    def score(self, answer: list[list[int]]) -> float:
        weights = {(s, t): w for s, t, w in self.edges}
        steps = [step for path in answer for step in pairwise(path)]
        covered = set(steps)
        if any(path[0] != 1 for path in answer) or not weights.keys() >= covered:
            return INVALID
        if len(covered) < len(weights):
            return NOT_COVERED
        return ratio(self.gold_answer, sum(weights[step] for step in steps)) ** 5

    def reference(self) -> str:
        return grid(paths_of(self.edges, cheapest_uses(self.N, self.edges)))


def cheapest_uses(n: int, edges: list[WeightedEdge]) -> list[int]:
    """How many paths use each edge in a cheapest cover.

    If every edge is used once, some vertices are left more often than they are entered. The extra
    uses form a cheapest flow to these vertices, from vertex 1 and from those that are entered more
    often than left, where paths would otherwise end.
    """
    surplus = [0] * (n + 1)
    network = Network(n + 2)
    source, sink = 0, n + 1
    arcs: list[int] = []
    for s, t, w in edges:
        surplus[s] -= 1
        surplus[t] += 1
        arcs.append(network.add(s, t, inf, w))
    network.add(source, 1, inf)
    for v in range(2, n + 1):
        if surplus[v] > 0:
            network.add(source, v, surplus[v])
        else:
            network.add(v, sink, -surplus[v])
    network.send_cheapest(source, sink)
    return [1 + network.flow(arc) for arc in arcs]


def paths_of(edges: list[WeightedEdge], uses: list[int]) -> list[list[int]]:
    """Paths from vertex 1 that use each edge this often."""
    leaving: dict[int, list[int]] = {}
    for (s, t, _), times in zip(edges, uses, strict=True):
        leaving.setdefault(s, []).extend([t] * times)
    paths: list[list[int]] = []
    while leaving[1]:
        path = [1]
        while onwards := leaving.get(path[-1]):
            path.append(onwards.pop())
        paths.append(path)
    return paths
