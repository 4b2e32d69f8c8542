from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge, neighbour_masks
from rlve.answers import integer
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.sampling.graphs import random_edges
from rlve.text import lines, spaced
from rlve.work import Work, list_neighbours

EDGE_RATIOS = tuple(tenths / 10 for tenths in range(10, 31))


class ThreeVertexCycleCounting(Environment[int]):
    """Count the triangles of an undirected graph."""

    N: int
    edge_ratio: float  # edges per vertex
    edges: list[Edge]  # (u, v) with u < v
    reference_answer: int

    max_difficulty = 40  # at 50, a prompt exceeds 32,000 characters
    picture = Graph()

    template = """
        An undirected graph has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (u, v): it joins the vertices u and v.

        {edges}

        How many triangles does the graph have? A triangle is a set of three vertices, any two of
        which are joined by an edge; each such set counts once, whatever the order of its vertices.

        Output format: one integer.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = grow(5, d)
        return [{"N": N, "edge_ratio": r} for r in EDGE_RATIOS if int(N * r) <= N * (N - 1) // 2]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_ratio: float) -> Self:
        edges = random_edges(rng, N, int(N * edge_ratio))
        return cls(N=N, edge_ratio=edge_ratio, edges=edges, reference_answer=triangles(N, edges))

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield "For each edge, count the common neighbours larger than both ends: this counts each"
        yield "triangle once."
        near = yield from list_neighbours(range(self.N), self.edges)
        count = 0
        for u, v in sorted(self.edges):
            common = [x for x in near[u] if x in near[v] and x > v]
            count += len(common)
            yield f"{u}-{v}: {spaced(common) or 'none'}, count {count}"
        yield f"So the number of triangles is {count}"
        return str(count)


def triangles(n: int, edges: list[Edge]) -> int:
    """Each triangle is seen from each of its three edges."""
    near = neighbour_masks(n, edges)
    return sum((near[u] & near[v]).bit_count() for u, v in edges) // 3
