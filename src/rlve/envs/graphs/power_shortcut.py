from itertools import pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge, ShortestPaths, shortest_paths
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.graphs import arc_count, random_arcs
from rlve.text import lines, spaced
from rlve.work import Work, breadth_first, list_neighbours, path_back

EDGE_DENSITIES = (0.01, 0.02, 0.03)
LARGEST_EXPONENTS = (1, 2, 3)


class PowerShortcut(Environment[list[int]]):
    """Get from one vertex to another in few walks whose numbers of edges are powers of two.

    Up to about difficulty 12, the densities of the schedule leave nothing but a path. The relation
    `achievable` is computed from the edges when an answer is scored.
    """

    N: int
    edge_density: float
    K: int  # the largest exponent
    edges: list[Edge]  # from s to t
    achievable: list[list[bool]]  # whether a walk of 2^k edges, k <= K, leads from s to t
    gold_answer: int  # the least number of vertices in a sequence
    reference_answer: str

    guessable = "At low difficulties the graph is a bare path: few vertices, at known distances."

    max_difficulty = 30  # at 38, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Graph(directed=True, answer="vertices")

    template = """
        A directed graph has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (s, t): it leads from s to t only.

        {edges}

        Find a sequence of vertices p[1], p[2], ..., p[m] such that
        - p[1] = 0 and p[m] = {last};
        - for each two consecutive vertices p[i] and p[i+1], some walk along edges from p[i] to
          p[i+1] has exactly 2^k edges, for an integer k with 0 <= k <= {K}. Each i can
          have a k of its own, and a walk may use vertices and edges more than once.
        Make m as small as possible. If several sequences have the smallest m, any of them is right.

        Output format: one line with p[1] to p[m], separated by spaces, without m.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = grow(4, d)
        return [
            {"N": N, "edge_density": p, "K": K} for p in EDGE_DENSITIES for K in LARGEST_EXPONENTS
        ]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_density: float, K: int) -> Self:
        path = [0, *rng.sample(range(1, N - 1), N - 2), N - 1]
        edges = list(pairwise(path))
        missing = max(0, arc_count(N, edge_density) - len(edges))
        edges += random_arcs(rng, N, missing, besides=edges)
        rng.shuffle(edges)
        shortcuts = powers_of_two(N, edges, K)
        shortest = jumps(shortcuts)
        return cls(
            N=N,
            edge_density=edge_density,
            K=K,
            edges=edges,
            achievable=[[bool(row >> t & 1) for t in range(N)] for row in shortcuts],
            gold_answer=shortest.distance[N - 1] + 1,
            reference_answer=spaced(shortest.to(N - 1)),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text, at_least=1)

    def score(self, answer: list[int]) -> float:
        if answer[0] != 0 or answer[-1] != self.N - 1 or not set(range(self.N)).issuperset(answer):
            return INVALID
        shortcuts = powers_of_two(self.N, self.edges, self.K)
        if not all(shortcuts[s] >> t & 1 for s, t in pairwise(answer)):
            return INVALID
        return ratio(self.gold_answer, len(answer)) ** 5

    def work(self) -> Work[str]:
        near = yield from list_neighbours(range(self.N), self.edges, directed=True)
        yield "Twice as many edges: go on from each end as far again."
        jumps = {v: set(ends) for v, ends in near.items()}
        ends = near
        for k in range(1, self.K + 1):
            ends = {v: sorted({t for s in ends[v] for t in ends[s]}) for v in ends}
            ways = "; ".join(f"{v} to {spaced(to)}" for v, to in ends.items() if to)
            yield f"{2**k} edges: {ways or 'none'}"
            if not ways:
                yield "So there are none with more edges either"
                break
            for v in ends:
                jumps[v].update(ends[v])
        steps = (f"{v} to {spaced(sorted(to))}" for v, to in jumps.items() if to)
        yield f"So one step of the sequence: {'; '.join(steps)}"
        found = yield from breadth_first(0, lambda v: sorted(jumps[v]), goal=self.N - 1)
        return spaced((yield from path_back(found, self.N - 1)))


def powers_of_two(n: int, edges: list[Edge], largest: int) -> list[int]:
    """The vertices that walks of 2^k edges, k <= largest, lead to from each vertex, as bits."""
    ends = [0] * n
    for s, t in edges:
        ends[s] |= 1 << t
    reached = list(ends)
    for _ in range(largest):
        ends = [union(ends, row) for row in ends]
        reached = [a | b for a, b in zip(reached, ends, strict=True)]
    return reached


def union(rows: list[int], chosen: int) -> int:
    joined = 0
    for i, row in enumerate(rows):
        if chosen >> i & 1:
            joined |= row
    return joined


def jumps(shortcuts: list[int]) -> ShortestPaths:
    n = len(shortcuts)
    steps = [(s, t, 1) for s in range(n) for t in range(n) if shortcuts[s] >> t & 1]
    return shortest_paths(steps, 0)
