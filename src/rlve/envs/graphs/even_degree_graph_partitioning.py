from collections import Counter
from collections.abc import Iterable
from itertools import product
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge, ordered
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer, redraw
from rlve.text import lines, spaced
from rlve.work import Work, list_neighbours


class EvenDegreeGraphPartitioning(Environment[list[int]]):
    """Split a graph in two so that each vertex has an even number of neighbours in its part.

    A split is planted; any other is also right. Graphs in which all degrees are even, so that one
    part can take all vertices, are redrawn, as are those with isolated vertices.
    """

    N: int
    edges: list[Edge]  # (u, v) with u < v
    reference_answer: str

    guessable = (
        "With 3 or 4 vertices (d = 0, 1), there are few graphs, and one split fits many of them."
    )

    max_difficulty = 90  # at 105, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Graph(answer="classes")

    template = """
        An undirected graph has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (u, v): it joins the vertices u and v.

        {edges}

        Give every vertex the label 1 or 2 such that each vertex has an even number (0 is even) of
        neighbours with the same label as itself. One of the two labels may be left unused.
        At least one labelling is possible, and any of them is right.

        Output format: one line with the labels of the vertices 0 to {last} in this order,
        separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        edges, labels = prefer(
            lambda: redraw(lambda: planted_split(rng, N), until=lambda drawn: bool(drawn[0])),
            until=lambda drawn: is_demanding(N, drawn[0]),
        )
        return cls(N=N, edges=edges, reference_answer=spaced(labels))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N or not {1, 2} >= set(answer):
            return INVALID
        odd = odd_vertices((u, v) for u, v in self.edges if answer[u] == answer[v])
        return ratio(self.N - len(odd), self.N) ** 10

    def work(self) -> Work[str | None]:
        near = yield from list_neighbours(range(self.N), self.edges)
        yield "Try the labellings with label 1 for vertex 0; the other ones are these with 1 and 2"
        yield "exchanged. Look for a vertex with an odd number of neighbours of its own label:"
        for others in product((1, 2), repeat=self.N - 1):
            labels = [1, *others]
            alike = {v: [u for u in near[v] if labels[u] == labels[v]] for v in near}
            odd = next((v for v in near if len(alike[v]) % 2), None)
            if odd is None:
                yield f"{spaced(labels)}: none, it fits"
                return spaced(labels)
            name = "neighbour" if len(alike[odd]) == 1 else "neighbours"
            yield f"{spaced(labels)}: vertex {odd} has {name} {spaced(alike[odd])}"
        return None


def planted_split(rng: Random, n: int) -> tuple[list[Edge], list[int]]:
    """A graph and the labels of a right split."""
    order = rng.sample(range(n), n)
    size = rng.randint(0, n)
    first, second = order[:size], order[size:]
    crossing = [(u, v) for u in first for v in second]
    edges = rng.sample(crossing, rng.randint(0, len(crossing)))
    edges += even_graph(rng, first) + even_graph(rng, second)
    rng.shuffle(edges)
    return [ordered(u, v) for u, v in edges], [1 if v in first else 2 for v in range(n)]


def even_graph(rng: Random, vertices: list[int]) -> list[Edge]:
    """Random edges among these vertices that give each of them an even degree."""
    if len(vertices) < 3:
        return []
    *others, last = vertices
    edges = [
        (u, others[i])
        for i in range(1, len(others))
        for u in rng.sample(others[:i], rng.randint(0, i))
    ]
    return edges + [(v, last) for v in odd_vertices(edges)]


def is_demanding(n: int, edges: list[Edge]) -> bool:
    """Whether every vertex has an edge, and some vertex an odd number of them."""
    return len({v for edge in edges for v in edge}) == n and bool(odd_vertices(edges))


def odd_vertices(edges: Iterable[Edge]) -> list[int]:
    """The vertices of odd degree."""
    degree = Counter(v for edge in edges for v in edge)
    return [v for v, times in degree.items() if times % 2]
