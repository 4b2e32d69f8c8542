from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.bits import XorBasis, path_xors
from rlve.algorithms.graphs import Edge, WeightedEdge, ordered
from rlve.answers import integer
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import exact
from rlve.sampling.graphs import edge_count, random_edges
from rlve.sampling.rejection import redraw
from rlve.text import lines, spaced
from rlve.work import Work, show_sum, split_powers

EDGE_DENSITIES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


class MaxXorPath(Environment[int]):
    """Find the largest XOR of the weights along a walk between two vertices of a graph."""

    N: int
    edge_density: float
    MAX_bit_length: int
    edges: list[WeightedEdge]  # (u, v, w) with u < v
    reference_answer: int

    max_difficulty = 20  # at 23, a prompt exceeds 32,000 characters
    picture = Graph()

    template = """
        The vertices of a connected undirected graph have numbers from 0 to {last}; some of these
        numbers may be unused.
        Each line below is one edge (u, v, w): it joins the vertices u and v and has weight w.

        {edges}

        Consider all walks along edges from vertex 0 to vertex {last}. A walk may visit a vertex and
        use an edge any number of times. Its value is the bitwise XOR of the weights of the edges it
        uses, each as often as it is used: an edge that is used twice cancels out.

        What is the largest value of such a walk?

        Output format: one integer, the largest value.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = grow(4, d)
        shortest = max(3, (2 * N - 1).bit_length())
        return [
            {"N": N, "edge_density": density, "MAX_bit_length": length}
            for density in EDGE_DENSITIES
            if edge_count(N, density) >= N
            for length in range(shortest, shortest + 5)
        ]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_density: float, MAX_bit_length: int) -> Self:
        def draw() -> list[WeightedEdge]:
            pairs = random_edges(rng, N, edge_count(N, edge_density))
            return random_weights(rng, pairs, MAX_bit_length)

        def is_acceptable(edges: list[WeightedEdge]) -> bool:
            return 0 <= largest_xor(edges, N - 1) < 2**MAX_bit_length - 1

        edges = redraw(draw, until=is_acceptable)
        rng.shuffle(edges)
        return cls(
            N=N,
            edge_density=edge_density,
            MAX_bit_length=MAX_bit_length,
            edges=edges,
            reference_answer=largest_xor(edges, N - 1),
        )

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield "X[v] is the XOR along one way from vertex 0 to v; X[0] is 0. Any other edge u-v"
        yield "closes a cycle, of XOR c: w = X[u] XOR X[v] XOR c. So the value of a walk is"
        yield f"X[{self.N - 1}] XOR some of the c. All choices are possible: go to a cycle, round"
        yield "it and back the same way."
        width = max(w for _, _, w in self.edges).bit_length()
        yield from split_powers(w for _, _, w in self.edges)
        xors, cycles = {0: 0}, list[int]()
        left: list[WeightedEdge] = self.edges
        while left:
            u, v, w = edge = next(e for e in left if e[0] in xors or e[1] in xors)
            left = [e for e in left if e != edge]
            if u in xors and v in xors:
                cycles.append(xors[u] ^ xors[v] ^ w)
                yield f"Cycle by {u}-{v}: X[{u}] XOR X[{v}] XOR {w} is {bits(cycles[-1], width)}"
                continue
            known, new = (u, v) if u in xors else (v, u)
            xors[new] = xors[known] ^ w
            yield f"X[{new}], from X[{known}] and {w}: {bits(xors[new], width)}"
        if any(cycles):
            yield "Make rows whose first 1s are at different places: from the left, XOR each cycle"
            yield "with the rows whose first 1 is where it has a 1. Zeros and repeats add nothing."
        rows: list[int] = []
        for cycle in dict.fromkeys(filter(None, cycles)):
            value, text = cycle, bits(cycle, width)
            for row in rows:
                if value ^ row < value:
                    value ^= row
                    text += f", with {bits(row, width)}: {bits(value, width)}"
            yield f"{text}, " + ("new row" if value else "nothing new")
            rows = sorted({*rows, value} - {0}, reverse=True)
        largest = xors[self.N - 1]
        yield f"Start with X[{self.N - 1}]: {bits(largest, width)}"
        if rows:
            yield "Take each row, the largest first, if there is a 0 at its first 1, as no later"
            yield "row changes this place."
        for row in rows:
            if largest ^ row > largest:
                largest ^= row
                yield f"Take {bits(row, width)}: {bits(largest, width)}"
            else:
                yield f"Leave {bits(row, width)}"
        powers = [2**place for place in reversed(range(width)) if largest >> place & 1]
        yield f"As a number: {show_sum(powers)}"
        return str(largest)


def bits(value: int, width: int) -> str:
    return spaced(f"{value:0{width}b}")


def random_weights(rng: Random, pairs: list[Edge], length: int) -> list[WeightedEdge]:
    """Random weights for the edges connected to vertex 0; other edges are left out.

    Once the XORs around cycles reach a random rank below the length of the weights, an edge that
    closes a cycle gets a weight that does not raise it. So not every XOR is that of a walk.
    """
    rank = rng.randrange(length)
    neighbours: dict[int, list[int]] = {}
    for u, v in pairs:
        neighbours.setdefault(u, []).append(v)
        neighbours.setdefault(v, []).append(u)
    xors = {0: 0}
    basis = XorBasis()
    weights: dict[Edge, int] = {}
    stack = [0]
    while stack:
        u = stack.pop()
        for v in neighbours.get(u, ()):
            if ordered(u, v) in weights:
                continue
            weight = rng.getrandbits(length)
            if v not in xors:
                xors[v] = xors[u] ^ weight
                stack.append(v)
            elif basis.rank < rank:
                basis.add(xors[u] ^ xors[v] ^ weight)
            else:
                weight = xors[u] ^ xors[v] ^ random_combination(rng, basis)
            weights[ordered(u, v)] = weight
    return [(u, v, weight) for (u, v), weight in weights.items()]


def random_combination(rng: Random, basis: XorBasis) -> int:
    value = 0
    for vector in basis.vectors.values():
        if rng.random() < 0.5:
            value ^= vector
    return value


def largest_xor(edges: list[WeightedEdge], target: int) -> int:
    """The largest XOR of a walk from vertex 0 to the target; -1 if there is no walk.

    Any two walks differ by cycles, and a walk can take or leave each cycle.
    """
    xors = path_xors(edges, 0)
    if target not in xors:
        return -1
    cycles = (xors[u] ^ xors[v] ^ w for u, v, w in edges if u in xors)
    return XorBasis(cycles).largest(xors[target])
