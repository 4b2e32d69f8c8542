from collections import Counter
from random import Random
from typing import Self

from rlve.algorithms.graphs import Edge, neighbour_masks
from rlve.answers import integer
from rlve.environment import Environment, Level
from rlve.rewards import closeness
from rlve.sampling.graphs import random_edges
from rlve.text import lines

EDGE_DENSITIES = (0.02, 0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95)


class ColoringCounting(Environment[int]):
    """Sum up the numbers of colours used by all proper colourings with bounded colours."""

    N: int
    edge_density: float
    edges: list[Edge]  # (u, v) with u < v
    R: list[int]  # the largest colour allowed for each vertex
    reference_answer: int

    max_difficulty = 13  # counting is exponential: a graph of 20 vertices can take ten seconds

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


def edge_count(N: int, edge_density: float) -> int:
    return int(edge_density * N * (N - 1) / 2)


def colour_sum(n: int, edges: list[Edge], R: list[int]) -> int:
    """The sum of the numbers of colours that the valid colourings use.

    Vertices are coloured by ascending R, so that the next one can take any colour in use unless a
    neighbour has it. What matters of a colour in use are the vertices to come that it is barred
    from. So colourings are counted by these sets (bits of an integer each, in ascending order),
    and by the number of free colours, in use but barred from none. The counts for 0, 1, 2, ...
    free colours are the digits of one integer in a large base: most steps are one addition.
    """
    near = neighbour_masks(n, edges)
    width = sum((bound + 1).bit_length() for bound in R)  # no count has more bits
    left = (1 << n) - 1
    counts: dict[tuple[int, ...], int] = {(): 1}
    for v in sorted(range(n), key=lambda v: R[v]):
        bit = 1 << v
        left ^= bit
        barred = near[v] & left
        after: dict[tuple[int, ...], int] = {}
        for used, packed in counts.items():
            sets = [bars for bars in used if not bars & bit]
            joinable = len(sets)
            sets += [bars ^ bit for bars in used if bars & bit and bars != bit]
            freed = width * (len(used) - len(sets))

            alone = [0] * (n + 1)  # v gets a new colour, or one that was free
            for free, count in enumerate(unpacked(packed, width)):
                new = count * max(0, R[v] + 1 - len(used) - free)
                if barred:
                    alone[free] += new
                    alone[free - 1] += count * free
                else:  # and then any colour in use is as good as a free one
                    alone[free + 1] += new
                    alone[free] += count * (free + joinable)
            key = tuple(sorted([*sets, barred] if barred else sets))
            after[key] = after.get(key, 0) + (packed_from(alone, width) << freed)

            for i in range(joinable if barred else 0):
                joined = sets[:]
                joined[i] |= barred
                joined.sort()
                key = tuple(joined)
                after[key] = after.get(key, 0) + (packed << freed)
        counts = after
    return sum(free * count for free, count in enumerate(unpacked(counts[()], width)))


def unpacked(packed: int, width: int) -> list[int]:
    """The digits of so many bits, lowest first."""
    digits: list[int] = []
    while packed:
        digits.append(packed & ((1 << width) - 1))
        packed >>= width
    return digits


def packed_from(digits: list[int], width: int) -> int:
    return sum(digit << (width * i) for i, digit in enumerate(digits) if digit)
