from collections.abc import Generator, Sequence
from random import Random
from typing import Self

from rlve import Level
from rlve.answers import pairs
from rlve.dialogue import Command, Dialogue, Player, command, numbers_in
from rlve.errors import Unparseable
from rlve.rewards import exact
from rlve.sampling.graphs import random_edges
from rlve.text import spaced


class HiddenGraph(Dialogue[Command]):
    """Find the edges of a graph from the numbers of edges within sets of vertices."""

    N: int
    M: int
    edges: list[tuple[int, int]]

    template = """
        I have a secret undirected graph with the vertices 1, ..., {N} and {M} edges; no edge joins
        a vertex to itself, and no two join the same vertices. You may name different vertices: I
        tell you how many edges have both ends among them. When you know the edges, give all
        {M}; that ends the dialogue.

        Output format: `count` and the vertices, such as `count 1 2 3`; or `answer` and the two ends
        of each edge, in any order, such as `answer 1 2 3 1` for the edges between 1 and 2 and
        between 3 and 1. An answer with more or fewer than {ends} ends cannot be read.
        """

    def opening(self) -> str:
        return self.fill(ends=2 * self.M)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 4 + d, "M": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int, M: int) -> Self:
        edges = [(u + 1, v + 1) for u, v in random_edges(rng, N, M)]
        return cls(N=N, M=M, edges=sorted(edges))

    @property
    def turns(self) -> int:
        # One question for each vertex but the first, a search for each edge, and the answer.
        return self.N + self.M * (self.N - 1).bit_length()

    def parse(self, text: str) -> Command:
        word, values = command(text, count=None, answer=None)
        if word == "answer" and len(values) != 2 * self.M:
            raise Unparseable(f"{self.M} edges have {2 * self.M} ends, not {len(values)}")
        return word, values

    def reply(self, moves: Sequence[Command]) -> str | float:
        word, values = moves[-1]
        if word == "answer":
            given = sorted((min(edge), max(edge)) for edge in pairs(values))
            return exact(given == sorted((min(edge), max(edge)) for edge in self.edges))
        named = set(values)
        if len(named) < len(values) or not named <= set(range(1, self.N + 1)):
            return f"Not allowed: name different vertices from 1 to {self.N}."
        return str(sum(u in named and v in named for u, v in self.edges))

    def play(self) -> Player:
        """Find each vertex's neighbours among those before it, by halving."""
        found: list[tuple[int, int]] = []
        for vertex in range(2, self.N + 1):
            others = list(range(1, vertex))
            count = yield from _count(vertex, others, found)
            found += [(u, vertex) for u in (yield from _neighbours(vertex, others, count, found))]
        yield f"answer {spaced(end for edge in found for end in edge)}"


def _count(
    vertex: int, others: list[int], found: list[tuple[int, int]]
) -> Generator[str, str, int]:
    """How many of the others, whose own edges are known, are neighbours of the vertex."""
    [edges] = numbers_in((yield f"count {spaced([*others, vertex])}"))
    return edges - sum(u in others and v in others for u, v in found)


def _neighbours(
    vertex: int, others: list[int], count: int, found: list[tuple[int, int]]
) -> Generator[str, str, list[int]]:
    if count in (0, len(others)):
        return others if count else []
    half = others[: len(others) // 2]
    first = yield from _count(vertex, half, found)
    near = yield from _neighbours(vertex, half, first, found)
    far = yield from _neighbours(vertex, others[len(half) :], count - first, found)
    return near + far
