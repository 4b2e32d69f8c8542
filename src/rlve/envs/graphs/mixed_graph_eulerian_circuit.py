from itertools import pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge, eulerian_circuit, is_connected, ordered
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import redraw
from rlve.text import lines, spaced


class MixedGraphEulerianCircuit(Environment[list[int]]):
    """Find a closed walk that uses every edge of a graph once, where some edges have a direction.

    Difficulty 0 has only triangles, as the schedule starts with three vertices.
    """

    N: int
    undirected_edges: list[Edge]  # (u, v) with u < v
    directed_edges: list[Edge]  # from u to v
    reference_answer: str

    guessable = "A triangle, as at difficulty 0, can be walked round in only two directions."

    max_difficulty = 90  # at 115, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = (
        Graph("undirected_edges", answer="path"),
        Graph("directed_edges", directed=True, answer="path"),
    )

    template = """
        A graph has {N} vertices, numbered from 0 to {last}.

        Each of these edges (u, v) is undirected; it can be used from u to v or from v to u:
        {undirected}

        Each of these edges <u, v> is directed; it can be used from u to v only:
        {directed}

        No two vertices are joined by more than one edge. If all edges were undirected, the graph
        would be connected, and an even number of edges would meet at each vertex.

        Find a closed walk that uses each of the {m} edges exactly once.
        At least one exists; any of them is right.

        Output format: one line with the {length} vertices of the walk in order, separated by
        spaces. The walk may start anywhere, and its first vertex is repeated at its end.
        """

    def prompt(self) -> str:
        m = len(self.undirected_edges) + len(self.directed_edges)
        return self.fill(
            last=self.N - 1,
            undirected=lines(self.undirected_edges),
            directed=lines(f"<{u}, {v}>" for u, v in self.directed_edges),
            m=m,
            length=m + 1,
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        edges = redraw(lambda: random_even_graph(rng, N), until=lambda e: is_connected(N, e))
        rng.shuffle(edges)
        circuit = eulerian_circuit(N, edges, start=rng.randrange(N))
        steps = list(pairwise(circuit))
        rng.shuffle(steps)
        directed = rng.randint(1, len(steps) - 1)
        return cls(
            N=N,
            undirected_edges=[ordered(u, v) for u, v in steps[directed:]],
            directed_edges=steps[:directed],
            reference_answer=spaced(circuit),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text, at_least=1)

    def score(self, answer: list[int]) -> float:
        times = dict.fromkeys((*self.undirected_edges, *self.directed_edges), 0)
        edge_of = {edge: edge for edge in times}
        edge_of |= {(v, u): (u, v) for u, v in self.undirected_edges}
        if answer[0] != answer[-1] or not 0 <= answer[0] < self.N:
            return INVALID
        for step in pairwise(answer):
            if step not in edge_of:
                return INVALID
            times[edge_of[step]] += 1
        return ratio(sum(count == 1 for count in times.values()), len(times)) ** 10


def random_even_graph(rng: Random, n: int) -> list[Edge]:
    """A graph with even degrees only: the last vertex is joined to those whose degree is odd."""
    edges = [(u, v) for v in range(1, n - 1) for u in rng.sample(range(v), rng.randint(0, v))]
    odd: set[int] = set()
    for edge in edges:
        odd.symmetric_difference_update(edge)
    return edges + [(v, n - 1) for v in range(n - 1) if v in odd]
