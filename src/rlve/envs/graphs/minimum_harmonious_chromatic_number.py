from math import comb
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge, neighbour_lists, neighbour_masks, ordered
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.rewards import INVALID, ratio
from rlve.sampling.graphs import edge_count, random_edges
from rlve.sampling.rejection import prefer
from rlve.text import lines, spaced

EDGE_DENSITIES = (0.02, 0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95)


class MinimumHarmoniousChromaticNumber(Environment[list[int]]):
    """Colour a graph with as few colours as possible, any two of which meet at most once.

    Graphs in which every vertex needs its own colour are redrawn, if necessary so that two vertices
    can share one, except at the highest density, which has no others. Any integers can be colours,
    including negative ones.
    """

    N: int
    edge_density: float
    edges: list[Edge]  # (u, v) with u < v
    reference_answer: str
    gold_answer: int  # the smallest number of colours

    max_difficulty = 45  # at 55, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Graph(answer="classes")

    template = """
        An undirected graph has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (u, v): it joins the vertices u and v.

        {edges}

        Give every vertex a colour, which is an integer, such that
        - the two ends of each edge have different colours;
        - for every two different colours, at most one edge joins a vertex of the one colour to a
          vertex of the other.
        Use as few different colours as possible. Which integers are colours does not matter; if
        several colourings are best, any of them is right.

        Output format: one line with the {N} colours of the vertices 0, 1, ..., {last}, separated by
        spaces.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = 5 + d
        return [{"N": N, "edge_density": p} for p in EDGE_DENSITIES if edge_count(N, p)]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_density: float) -> Self:
        m = edge_count(N, edge_density)
        edges = prefer(
            lambda: random_edges(rng, N, m),
            until=lambda drawn: two_can_be_alike(N, drawn),
        )
        if not two_can_be_alike(N, edges) and m <= comb(N - 1, 2):
            edges = random_edges(rng, N, m, besides=edges_that_part_two(rng, N))
        colouring = harmonious_colouring(N, edges)
        return cls(
            N=N,
            edge_density=edge_density,
            edges=edges,
            reference_answer=spaced(colouring),
            gold_answer=len(set(colouring)),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N or any(answer[u] == answer[v] for u, v in self.edges):
            return INVALID
        if len({ordered(answer[u], answer[v]) for u, v in self.edges}) < len(self.edges):
            return INVALID
        return ratio(self.gold_answer, len(set(answer))) ** 5


def two_can_be_alike(n: int, edges: list[Edge]) -> bool:
    """Whether two vertices are not adjacent and have no common neighbour."""
    near = neighbour_masks(n, edges)
    return any(not near[u] >> v & 1 and not near[u] & near[v] for v in range(n) for u in range(v))


def edges_that_part_two(rng: Random, n: int) -> list[Edge]:
    """The edges to remove so that two vertices are not adjacent and have no common neighbour."""
    u, v, *others = rng.sample(range(n), n)
    return [(u, v), *((w, rng.choice((u, v))) for w in others)]


def harmonious_colouring(n: int, edges: list[Edge]) -> list[int]:
    """The colours 0, 1, ... of all vertices in a right colouring with the fewest colours."""
    near = neighbour_lists(n, edges)
    colours = 1 + max(map(len, near))  # a vertex and its neighbours are all different
    while comb(colours, 2) < len(edges):
        colours += 1
    while (colouring := HarmoniousColouring(near, colours).search()) is None:
        colours += 1
    return colouring


class HarmoniousColouring:
    """The search for a right colouring with at most this many colours; sets of colours are bits."""

    def __init__(self, near: list[list[int]], colours: int) -> None:
        self.near = near
        self.colours = colours
        self.colour = [-1] * len(near)
        self.around = [0] * len(near)  # the colours of the neighbours of each vertex
        self.met = [0] * colours  # the colours that each colour has met
        self.room = [colours - 1] * colours  # how many more edges each colour can have

    def search(self) -> list[int] | None:
        left = [v for v, neighbours in enumerate(self.near) if neighbours]
        return [max(0, colour) for colour in self.colour] if self.complete(left, 0) else None

    def complete(self, left: list[int], used: int) -> bool:
        """Colour the remaining vertices; of the unused colours, only the first is tried."""
        if not left:
            return True
        tried = min(used + 1, self.colours)
        options: dict[int, list[int]] = {}
        for v in left:
            options[v] = [colour for colour in range(tried) if self.allows(v, colour)]
            if not options[v]:
                return False
        v = min(left, key=lambda v: (len(options[v]), -len(self.near[v])))
        rest = [u for u in left if u != v]
        for colour in options[v]:
            if any(self.around[u] >> colour & 1 for u in rest if u in self.near[v]):
                continue  # a neighbour would have two neighbours of that colour
            self.toggle(v, colour)
            self.colour[v] = colour
            self.room[colour] -= len(self.near[v])
            if self.complete(rest, max(used, colour + 1)):
                return True
            self.room[colour] += len(self.near[v])
            self.colour[v] = -1
            self.toggle(v, colour)
        return False

    def allows(self, v: int, colour: int) -> bool:
        """Whether the colour would be new to the neighbours of v that have a colour."""
        around = self.around[v]
        if around >> colour & 1 or around & self.met[colour]:
            return False
        return self.room[colour] >= len(self.near[v])

    def toggle(self, v: int, colour: int) -> None:
        """Record, or undo, that v has the colour."""
        self.met[colour] ^= self.around[v]
        for u in self.near[v]:
            if self.colour[u] < 0:
                self.around[u] ^= 1 << colour
            else:
                self.met[self.colour[u]] ^= 1 << colour
