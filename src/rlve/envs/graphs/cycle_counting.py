from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge, bridges, neighbour_lists
from rlve.answers import integer
from rlve.rewards import closeness
from rlve.sampling.graphs import edge_count, random_edges
from rlve.sampling.rejection import prefer
from rlve.text import lines

EDGE_DENSITIES = (0.25, 0.45, 0.65, 0.85)


class CycleCounting(Environment[int]):
    """Count the simple cycles of an undirected graph.

    Graphs without a cycle are redrawn.
    """

    N: int
    edge_density: float
    edges: list[Edge]  # (u, v) with u < v
    reference_answer: int

    max_difficulty = 16  # counting takes time and memory that grow as 2 ** N
    guessable = "With 4 vertices (d = 0), two of the four densities are too low for a cycle."

    template = """
        An undirected graph has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (u, v): it joins the vertices u and v.

        {edges}

        Count the simple cycles of this graph. A simple cycle visits at least 3 vertices, none of
        them twice, and returns to its start. Two cycles are the same if they have the same edges:
        where a cycle starts and in which direction it goes does not matter.

        Output format: one integer, the number of simple cycles.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 4 + d, "edge_density": p} for p in EDGE_DENSITIES]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_density: float) -> Self:
        m = edge_count(N, edge_density)
        edges = prefer(
            lambda: random_edges(rng, N, m),
            until=lambda drawn: len(bridges(N, drawn)) < m,
        )
        return cls(
            N=N,
            edge_density=edge_density,
            edges=edges,
            reference_answer=cycle_count(N, edges),
        )

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10


def cycle_count(n: int, edges: list[Edge]) -> int:
    """The number of simple cycles.

    A cycle is a path from its highest vertex to a neighbour of that vertex, counted in both
    directions. Paths are counted by the set of vertices that they visit, which tells the highest
    one, where they start, and by the vertex where they end. No count exceeds 18! for n <= 20.
    """
    import numpy as np

    near = neighbour_lists(n, edges)
    size = highest = np.zeros(1, dtype=np.int8)  # of each set of vertices
    for v in range(n):
        size = np.concatenate([size, size + 1])
        highest = np.concatenate([highest, np.full(1 << v, v, dtype=np.int8)])
    sets = np.argsort(size, kind="stable").astype(np.int32)
    bounds = np.searchsorted(size[sets], np.arange(n + 2))
    rank = np.empty(1 << n, dtype=np.int32)  # of a set among those of its size

    total = 0
    paths = np.eye(n, dtype=np.int64)  # by last vertex and set
    rank[sets[1 : n + 1]] = np.arange(n)
    for k in range(2, n + 1):
        layer = sets[bounds[k] : bounds[k + 1]]
        rank[layer] = np.arange(len(layer))
        longer = np.zeros((n, len(layer)), dtype=np.int64)
        for v in range(n):
            if not near[v]:
                continue
            steps = paths[near[v][0]].copy()
            for u in near[v][1:]:
                steps += paths[u]
            here = np.flatnonzero((layer >> v & 1) & (highest[layer] != v))
            longer[v, here] = steps[rank[layer[here] ^ (1 << v)]]
        paths = longer
        if k > 2:
            for v in range(n):
                closing = np.isin(highest[layer], near[v])
                total += int(paths[v, closing].sum())
    return total // 2
