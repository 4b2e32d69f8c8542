from functools import cache
from math import comb
from random import Random
from typing import TYPE_CHECKING, Any, Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge, bridges
from rlve.answers import integer
from rlve.foundation.pictures import Graph
from rlve.rewards import closeness
from rlve.sampling.graphs import edge_count, random_edges
from rlve.sampling.rejection import prefer
from rlve.text import lines, spaced
from rlve.work import Work, list_neighbours

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EDGE_DENSITIES = (0.25, 0.45, 0.65, 0.85)
DOUBLE_FROM = 12  # vertices: single precision holds 10!, and double precision 18!
PIECE = 512  # columns
PATHS = 20  # at most in one line of a worked solution


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
    picture = Graph()

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

    def work(self) -> Work[str]:
        yield "List all paths from each vertex over vertices larger than this start."
        yield "A path of three or more vertices whose last is a neighbour of the start closes to a"
        yield "cycle. Each is found in both directions: count it only where the second vertex is"
        yield "smaller than the last."
        near = yield from list_neighbours(range(self.N), self.edges)
        count = 0
        for first in range(self.N):
            for second in near[first]:
                if second < first:
                    continue
                paths = [[first, second]]
                written: list[str] = []
                while paths:
                    path = paths.pop()
                    closes = len(path) > 2 and path[-1] > second and first in near[path[-1]]
                    count += closes
                    written.append(f"{spaced(path)} (count {count})" if closes else spaced(path))
                    ahead = [v for v in near[path[-1]] if v > first and v not in path]
                    paths += [[*path, v] for v in reversed(ahead)]
                    if len(written) == PATHS or not paths:
                        yield ", ".join(written)
                        written = []
        yield f"So the number of cycles is {count}"
        return str(count)


def cycle_count(n: int, edges: list[Edge]) -> int:
    """The number of simple cycles.

    A cycle is a path from its highest vertex to a neighbour of that vertex, counted in both
    directions. Paths are counted by the set of vertices they visit, which gives the highest one,
    where they start, and by the vertex where they end. At most (k - 1)! paths visit k vertices;
    for k < 20 floating-point numbers hold that exactly and add fastest.
    """
    import numpy as np

    layers = sets_by_size(n)
    beside = np.zeros((n, n), dtype=np.float32)
    for u, v in edges:
        beside[u, v] = beside[v, u] = 1

    total = 0
    start = 1  # of the layer
    paths = np.eye(n, dtype=np.float32)  # by last vertex and set
    within = np.eye(n, dtype=bool)  # by vertex and set
    for k in range(1, n):
        if k == DOUBLE_FROM:
            beside, paths = beside.astype(np.float64), paths.astype(np.float64)
        steps = product(beside, paths)  # paths, by a neighbour of the last vertex and set
        if k > 2:
            for top in range(k - 1, n):
                total += int(steps[top, comb(top, k) : comb(top + 1, k)].sum(dtype=np.int64))
        start += comb(n, k)
        layer = layers[start : start + comb(n, k + 1)]
        without = ~within
        within = np.array([layer & 1 << v != 0 for v in range(n)])
        paths = np.zeros((n, len(layer)), dtype=paths.dtype)
        for v in range(n - 1):
            # Sets with v, and the same sets without it, come in the same order. The first ones
            # have no vertex above v.
            old, new = comb(v + 1, k), comb(v + 1, k + 1)
            paths[v, new:][within[v, new:]] = steps[v, old:][without[v, old:]]
    total += sum(map(int, paths[beside[-1] > 0, 0]))  # the set of all vertices
    return total // 2


@cache
def sets_by_size(n: int) -> "NDArray[np.int32]":
    """All sets of n vertices, as bits, by size and then in rising order."""
    import numpy as np

    size = np.zeros(1, dtype=np.int8)
    for _ in range(n):
        size = np.concatenate([size, size + np.int8(1)])
    return np.argsort(size, kind="stable").astype(np.int32)


def product(left: "NDArray[Any]", right: "NDArray[Any]") -> "NDArray[Any]":
    """The product of two matrices, in pieces too small to be worth several threads."""
    import numpy as np

    found = np.empty_like(right)
    for i in range(0, right.shape[1], PIECE):
        np.matmul(left, right[:, i : i + PIECE], out=found[:, i : i + PIECE])
    return found
