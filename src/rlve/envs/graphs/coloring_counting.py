from collections import Counter
from math import prod
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge, neighbour_masks
from rlve.answers import integer
from rlve.rewards import closeness
from rlve.sampling.graphs import edge_count, random_edges
from rlve.text import lines

EDGE_DENSITIES = (0.02, 0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95)


class ColoringCounting(Environment[int]):
    """Add up the numbers of colours used by all proper colourings with bounded colours."""

    N: int
    edge_density: float
    edges: list[Edge]  # (u, v) with u < v
    R: list[int]  # the largest colour allowed for each vertex
    reference_answer: int

    max_difficulty = 13  # counting is exponential: 20 vertices can take many seconds

    template = """
        An undirected graph has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (u, v): it joins the vertices u and v.

        {edges}

        A colouring gives each vertex u a colour, an integer from 0 to R[u]:
        {R}

        A colouring is valid if the two ends of each edge have different colours. The value of a
        valid colouring is the number of different colours that occur in it.
        Compute the sum of the values of all valid colourings.

        Output format: one integer, the sum.
        """

    def prompt(self) -> str:
        R = lines(f"R[{u}]={bound}" for u, bound in enumerate(self.R))
        return self.fill(last=self.N - 1, edges=lines(self.edges), R=R)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = 4 + d
        return [{"N": N, "edge_density": p} for p in EDGE_DENSITIES if edge_count(N, p)]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_density: float) -> Self:
        edges = random_edges(rng, N, edge_count(N, edge_density))
        degree = Counter(v for edge in edges for v in edge)
        R = [rng.randint(degree[v], 2 * degree[v]) for v in range(N)]
        return cls(
            N=N,
            edge_density=edge_density,
            edges=edges,
            R=R,
            reference_answer=colour_sum(N, edges, R),
        )

    def parse(self, text: str) -> int:
        return integer(text, low=1)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10


def colour_sum(n: int, edges: list[Edge], R: list[int]) -> int:
    """The sum of the numbers of colours that the valid colourings use.

    A colouring is built up from colour classes, which are independent sets: the next class contains
    a vertex of least R among those without a colour. All k colours in use are at most this R, so R
    + 1 - k are left for the class; a vertex that would have no colour left after it must be in it.
    Partial colourings are counted by the set of vertices (as bits) that still have no colour. The
    counts for all k are the digits of one large number, so a single addition updates them all.
    """
    order = sorted(range(n), key=lambda v: R[v])  # vertices are renumbered by ascending R
    place = {v: i for i, v in enumerate(order)}
    near = neighbour_masks(n, [(place[u], place[v]) for u, v in edges])
    urgent = [sum(1 << i for i, v in enumerate(order) if R[v] <= k) for k in range(n)]
    width = prod(bound + 1 for bound in R).bit_length()  # of a digit
    counts = [0] * (1 << n)
    counts[-1] = 1
    for left in range((1 << n) - 1, 0, -1):
        if not counts[left]:
            continue
        first = left & -left
        colours = R[order[first.bit_length() - 1]] + 1
        ways = digits(counts[left], width)
        count = sum(x * (colours - k) << (k + 1) * width for k, x in ways.items() if k < colours)
        start = first | left & urgent[min(ways)]
        barred = barred_by(near, start)
        if count and not start & barred:
            others = left ^ start
            for more in independent_sets(near, others & ~barred):
                counts[others ^ more] += count
    return sum(k * x for k, x in digits(counts[0], width).items())


def digits(number: int, width: int) -> dict[int, int]:
    """The digits other than 0, each of this many bits, by position."""
    found: dict[int, int] = {}
    place = 0
    while number:
        if digit := number & ((1 << width) - 1):
            found[place] = digit
        number >>= width
        place += 1
    return found


def barred_by(near: list[int], vertices: int) -> int:
    """The neighbours of these vertices."""
    barred = 0
    while vertices:
        barred |= near[vertices.bit_length() - 1]
        vertices ^= 1 << (vertices.bit_length() - 1)
    return barred


def independent_sets(near: list[int], vertices: int) -> list[int]:
    """All independent sets of these vertices."""
    found = [0]
    while vertices:
        v = vertices.bit_length() - 1
        bit, mask = 1 << v, near[v]
        found += [chosen | bit for chosen in found if not chosen & mask]
        vertices ^= bit
    return found
