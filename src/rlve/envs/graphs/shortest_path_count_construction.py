from random import Random
from typing import Self

from msgspec import UNSET, UnsetType

from rlve import Environment, Level
from rlve.answers import integer, text_lines
from rlve.errors import Unparseable
from rlve.levels import grow
from rlve.rewards import INVALID, closeness
from rlve.text import lines

BOUNDED_FROM = 12  # from this K on, the number of vertices is bounded


class ShortestPathCountConstruction(Environment[list[str]]):
    """Build a graph with a given number of shortest paths between its first two vertices.

    White space around rows and blank lines are ignored. For K < 12, where N is not bounded, K
    vertices between the first two are a right answer.
    """

    MAX_K: int
    K: int  # the number of shortest paths
    N_constraint: int | UnsetType = UNSET  # N must be smaller; only for K >= 12

    max_difficulty = 150  # at 180, answers are too long to parse
    unique_up_to = None  # several answers can be right

    template = """
        Build a simple undirected graph. You choose its number of vertices N; they are numbered
        from 1 to N. The number of different shortest paths from vertex 1 to vertex 2 must be
        exactly {K}. A shortest path is one with the fewest edges.

        N {size}. Any such graph is right.

        Output format: the first line is N. Then N lines with N characters each follow, without
        spaces: character j of line i is Y if the vertices i and j are joined by an edge, else N.
        The matrix is symmetric, and all characters on its diagonal are N.
        For example, this is a graph of 3 vertices with one shortest path:
        3
        NNY
        NNY
        YYN
        """

    def prompt(self) -> str:
        bound = self.N_constraint
        size = "can be any number" if bound is UNSET else f"must be less than {bound}"
        return self.fill(size=size)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_K": grow(12, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_K: int) -> Self:
        K = rng.randint(3, MAX_K)
        if K < BOUNDED_FROM:
            return cls(MAX_K=MAX_K, K=K)
        return cls(MAX_K=MAX_K, K=K, N_constraint=min(2 * (3 * K.bit_length() + 2), K + 2))

    def parse(self, text: str) -> list[str]:
        first, *rows = text_lines(text) or [""]
        n = integer(first, low=2)
        if len(rows) != n or any(len(row) != n or row.strip("NY") for row in rows):
            raise Unparseable(
                "expected as many rows of N and Y as the first line says, each of that length"
            )
        if [*map("".join, zip(*rows, strict=True))] != rows:
            raise Unparseable("the matrix is not symmetric")
        if any(row[i] == "Y" for i, row in enumerate(rows)):
            raise Unparseable("a vertex is joined to itself")
        return rows

    def score(self, answer: list[str]) -> float:
        if self.N_constraint is not UNSET and len(answer) >= self.N_constraint:
            return INVALID
        return closeness(shortest_path_count(answer), self.K) ** 10

    def reference(self) -> str:
        matrix = graph_with_paths(self.K)
        return lines([len(matrix), *matrix])


def shortest_path_count(matrix: list[str]) -> int:
    """The number of shortest paths from the first to the second vertex, layer by layer."""
    paths = {0: 1}
    seen = {0}
    while paths and 1 not in paths:
        further: dict[int, int] = {}
        for v, count in paths.items():
            for u, joined in enumerate(matrix[v]):
                if joined == "Y" and u not in seen:
                    further[u] = further.get(u, 0) + count
        paths = further
        seen |= further.keys()
    return paths.get(1, 0)


def graph_with_paths(k: int) -> list[str]:
    """A graph with k shortest paths and three vertices for each binary digit of k.

    Levels of two vertices, each joined to both of the next level, double the number of paths. For
    each digit 1, a level is joined to a chain, at the point that gives all paths the same length.
    """
    digits = k.bit_length()
    levels = [[0], *([2 * j, 2 * j + 1] for j in range(1, digits))]
    chain = [*range(2 * digits, 3 * digits), 1]
    edges = [(u, v) for j in range(digits - 1) for u in levels[j] for v in levels[j + 1]]
    edges += [(chain[j], chain[j + 1]) for j in range(digits)]
    edges += [(u, chain[j]) for j in range(digits) if k >> j & 1 for u in levels[j]]
    joined = {*edges, *((v, u) for u, v in edges)}
    vertices = range(3 * digits)
    return ["".join("NY"[(u, v) in joined] for v in vertices) for u in vertices]
