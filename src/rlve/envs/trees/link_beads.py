from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import WeightedEdge
from rlve.algorithms.trees import RootedTree
from rlve.answers import integer
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import exact
from rlve.sampling.trees import random_weighted_tree
from rlve.text import lines


class LinkBeads(Environment[int]):
    """Find the largest possible total weight of the inserted, blue edges of a tree."""

    N: int
    edges: list[WeightedEdge]  # (u, v, w) with u < v
    reference_answer: int

    max_difficulty = 35  # at 42, generating a problem takes too long
    picture = Graph()

    template = """
        A tree has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (u, v, w): it joins the vertices u and v and has weight w.

        {edges}

        The tree was built from one of its vertices (any of them) by {size} operations. Each brought
        in one new vertex x, in one of two ways:

        - Append(x, v): x is joined by a red edge to a vertex v that is already there.
        - Insert(x, u, v): a red edge between u and v that is already there is removed, and x is
          joined by a blue edge to u and by another blue edge to v.

        Blue edges are never removed. The order of the operations and the colours of the edges are
        not known; only the final tree is, with its weights.

        Over all sequences of operations that end in exactly this tree, what is the largest possible
        total weight of the blue edges?

        Output format: one integer, the largest total weight.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, size=self.N - 1, edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        edges = random_weighted_tree(rng, N, 1, N)
        gold = max(heaviest_blue(RootedTree(edges, first)) for first in range(N))
        return cls(N=N, edges=edges, reference_answer=gold)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)


def heaviest_blue(tree: RootedTree) -> int:
    """The largest blue weight if the root is the first vertex.

    Then each inserted vertex joins its parent to one of its children by blue edges.
    """
    free: dict[int, int] = {}  # the best below each vertex if it is not inserted,
    inserted: dict[int, int | None] = {}  # and if it is, including its blue edge to the parent
    for v in reversed(tree.order):
        free[v] = 0
        gains: list[int] = []
        for child in tree.children[v]:
            blue = inserted[child]
            best = free[child] if blue is None else max(free[child], blue)
            free[v] += best
            gains.append(free[child] + tree.length(child) - best)
        may_be_inserted = gains and v != tree.root
        inserted[v] = free[v] + max(gains) + tree.length(v) if may_be_inserted else None
    return free[tree.root]
