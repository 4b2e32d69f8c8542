from itertools import combinations
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.bits import path_xors
from rlve.algorithms.graphs import WeightedEdge
from rlve.answers import integers
from rlve.errors import Unparseable
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import ratio
from rlve.sampling.graphs import random_recursive_tree
from rlve.text import lines, spaced
from rlve.work import Work, find_best


class MaxTreeXorPath(Environment[tuple[int, int]]):
    """Find two vertices of a weighted tree with the largest XOR of the weights between them.

    A vertex out of range is unparseable, as published. A record without Xor can also be judged.
    """

    N: int
    edges: list[WeightedEdge]  # (u, v, w) with u < v
    Xor: list[int] = []  # noqa: RUF012  of the weights from vertex 0 to each vertex
    gold_answer: int
    reference_answer: str

    max_difficulty = 45  # at 57, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Graph(answer="vertices")

    template = """
        A tree has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (u, v, w): it joins the vertices u and v and has weight w.

        {edges}

        Choose two vertices u and v such that the bitwise XOR of the weights of all edges on the
        path between u and v is as large as possible. u = v is allowed, and gives 0.
        If several pairs give the largest XOR, any of them is right.

        Output format: one line with u and v, separated by a space.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(4, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        heaviest = max(16, 1 << (2 * N).bit_length()) - 2
        edges = [(u, v, rng.randint(1, heaviest)) for u, v in random_recursive_tree(rng, N)]
        rng.shuffle(edges)
        xors = xors_from_root(edges)
        u, v = max(combinations(range(N), 2), key=lambda pair: xors[pair[0]] ^ xors[pair[1]])
        return cls(
            N=N,
            edges=edges,
            Xor=xors,
            gold_answer=xors[u] ^ xors[v],
            reference_answer=f"{u} {v}",
        )

    def parse(self, text: str) -> tuple[int, int]:
        vertices = integers(text)
        if len(vertices) != 2 or not all(0 <= vertex < self.N for vertex in vertices):
            raise Unparseable(f"not two vertices from 0 to {self.N - 1}")
        return vertices[0], vertices[1]

    def score(self, answer: tuple[int, int]) -> float:
        u, v = answer
        xors = self.Xor or xors_from_root(self.edges)
        return ratio(xors[u] ^ xors[v], self.gold_answer) ** 5

    def work(self) -> Work[str | None]:
        if max(w for _, _, w in self.edges) > 15:
            return None  # their XORs are not for the head
        yield "X[v] is the XOR of the weights from vertex 0 to v. The XOR between u and v is"
        yield "X[u] XOR X[v], as what both ways share cancels out."
        xors = {0: 0}
        yield "X[0] = 0"
        while len(xors) < self.N:
            for u, v, w in self.edges:
                if (u in xors) == (v in xors):
                    continue
                known, new = (u, v) if u in xors else (v, u)
                xors[new] = xors[known] ^ w
                yield f"X[{new}] = X[{known}] XOR {w} = {xors[known]} XOR {w} = {xors[new]}"
        pairs = list(combinations(range(self.N), 2))
        best = yield from find_best(
            (f"{u} {v}: {xors[u]} XOR {xors[v]} = {xors[u] ^ xors[v]}", xors[u] ^ xors[v])
            for u, v in pairs
        )
        return spaced(pairs[best])


def xors_from_root(edges: list[WeightedEdge]) -> list[int]:
    """The XOR of the weights from vertex 0 to each vertex of a tree."""
    xors = path_xors(edges, 0)
    return [xors[vertex] for vertex in range(len(xors))]
