from collections import Counter, defaultdict
from collections.abc import Callable
from math import prod
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge, neighbour_masks
from rlve.answers import integer
from rlve.foundation.pictures import Graph
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
    picture = Graph(values="R")

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

    A colouring is built up from colour classes, which are independent sets. Vertices are renumbered
    by ascending R. If a class opens with its first vertex, all k colours in use are at most the R
    of this vertex, so R + 1 - k are left for the class.
    """
    degree = Counter(v for edge in edges for v in edge)
    # Of vertices with the same R, those with many neighbours come first: fewer sets have them.
    order = sorted(range(n), key=lambda v: (R[v], -degree[v]))
    place = {v: i for i, v in enumerate(order)}
    near = neighbour_masks(n, [(place[u], place[v]) for u, v in edges])
    count = count_by_vertices if len(edges) < 1.5 * n else count_by_classes
    return sum(k * x for k, x in count(near, [R[v] for v in order]))


def count_by_vertices(near: list[int], R: list[int]) -> list[tuple[int, int]]:
    """Numbers of colours, and of colourings that use them, for a graph with few edges.

    Each vertex joins a class or opens one. Partial colourings are counted by which later vertices
    (as bits) each of their classes bars.
    """
    counts: dict[tuple[int, ...], int] = {(): 1}
    for v, bound in enumerate(R):
        later: dict[tuple[int, ...], int] = defaultdict(int)
        ahead = -2 << v
        for classes, count in counts.items():
            for i, barred in enumerate(classes):
                if not barred >> v & 1 and (not i or barred != classes[i - 1]):
                    rest = [*classes[:i], barred | near[v], *classes[i + 1 :]]
                    same = classes.count(barred)  # it makes no difference which of them v joins
                    later[tuple(sorted([x & ahead for x in rest]))] += count * same
            if colours := bound + 1 - len(classes):
                opened = [*classes, near[v]]
                later[tuple(sorted([x & ahead for x in opened]))] += count * colours
        counts = later
    return [(len(classes), count) for classes, count in counts.items()]


def count_by_classes(near: list[int], R: list[int]) -> list[tuple[int, int]]:
    """The same, for a graph with few independent sets.

    The next class contains the first vertex that has no colour; a vertex that would have no colour
    left after it must be in it. Partial colourings are counted by the set of vertices (as bits)
    that still have no colour. The counts for all k are the digits of one large number, so a single
    addition updates them all.
    """
    n = len(R)
    urgent = [sum(1 << v for v, bound in enumerate(R) if bound <= k) for k in range(n)]
    width = prod(bound + 1 for bound in R).bit_length()  # of a digit
    digit = (1 << width) - 1
    sets_of = independent_sets(near)
    counts = [0] * (1 << n)
    counts[-1] = 1
    for left in range((1 << n) - 1, 0, -1):
        number = counts[left]
        if not number:
            continue
        first = left & -left
        k = ((number & -number).bit_length() - 1) // width
        start = first | left & urgent[k]
        barred = barred_by(near, start)
        if start & barred:
            continue
        colours = R[first.bit_length() - 1] + 1 - k
        number >>= k * width
        place = (k + 1) * width
        count = 0
        while number:
            count += (number & digit) * colours << place
            colours -= 1
            number >>= width
            place += width
        if count:
            others = left ^ start
            for more in sets_of(others & ~barred):
                counts[others ^ more] += count
    return [(k, counts[0] >> k * width & digit) for k in range(n + 1)]


def barred_by(near: list[int], vertices: int) -> int:
    """The neighbours of these vertices."""
    barred = 0
    while vertices:
        barred |= near[vertices.bit_length() - 1]
        vertices ^= 1 << (vertices.bit_length() - 1)
    return barred


def independent_sets(near: list[int]) -> Callable[[int], list[int]]:
    """A function that lists all independent sets of some vertices."""
    known: dict[int, list[int]] = {0: [0]}

    def sets_of(vertices: int) -> list[int]:
        if vertices not in known:
            v = vertices.bit_length() - 1
            bit = 1 << v
            without = vertices ^ bit
            more = [chosen | bit for chosen in sets_of(without & ~near[v])]
            known[vertices] = sets_of(without) + more
        return known[vertices]

    return sets_of
