from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge
from rlve.algorithms.trees import RootedTree
from rlve.errors import Unparseable
from rlve.foundation.pictures import Graph
from rlve.rewards import ratio
from rlve.sampling.trees import random_tree
from rlve.text import joined, lines


class BanyanHeart(Environment[str]):
    """Say on which vertices of a growing tree a token that follows new vertices can end."""

    N: int
    edges: list[Edge]  # (u, v) with 1 <= u < v
    reference_answer: str  # T or F for each vertex, from 1

    max_difficulty = 1_000  # the highest difficulty measured
    picture = Graph(first=1)

    template = """
        A tree on the vertices 1 to {N} has grown from vertex 1 alone. The other vertices were added
        one at a time, in an order that is not known: it need not be 2, 3, 4, ..., but each new
        vertex was joined by an edge to a vertex that was already there. In the end, the edges
        (u, v) were these:

        {edges}

        A token started on vertex 1. Right after each new vertex was added, the token moved along
        one edge, the first one on the path from where it was to the new vertex.

        Which vertices can the token be on after all vertices have been added? A vertex is possible
        if there is at least one order of adding the vertices with which the token ends on it.

        Output format: one line of {N} letters without anything between them. The first letter is
        for vertex 1, the second for vertex 2, and so on: T if the vertex is possible, F if not.
        """

    def prompt(self) -> str:
        return self.fill(edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 4 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        edges = random_tree(rng, N, first=1)
        possible = possible_ends(edges)
        gold = joined("T" if v in possible else "F" for v in range(1, N + 1))
        return cls(N=N, edges=edges, reference_answer=gold)

    def parse(self, text: str) -> str:
        if len(text) != self.N or not set(text) <= {"T", "F"}:
            raise Unparseable(f"not {self.N} letters T or F")
        return text

    def score(self, answer: str) -> float:
        pairs = list(zip(answer, self.reference_answer, strict=True))
        return ratio(pairs.count(("T", "T")), len(pairs) - pairs.count(("F", "F"))) ** 5


def possible_ends(edges: list[Edge]) -> set[int]:
    """The vertices on which the token can end.

    Additions below different vertices of its path pull the token back and forth, and cancel in
    pairs, unless one hanging subtree is so large that the others cannot make up for it.
    """
    tree = RootedTree(edges, 1)
    sizes = tree.sizes()
    # How near the token can be to a vertex once everything below it has been added.
    nearest: dict[int, int] = {}

    def excess(hanging: list[int]) -> int:
        """How far the largest of these subtrees must pull the token, all others pulling back."""
        heavy = max(hanging, key=lambda v: sizes[v])
        return nearest[heavy] + 1 - (sum(sizes[v] for v in hanging) - sizes[heavy])

    for v in reversed(tree.order):
        below = tree.children[v]
        least = excess(below) if below else 0
        nearest[v] = least if least > 0 else (sizes[v] - 1) % 2

    def is_possible(v: int) -> bool:
        path = tree.path(v)
        hanging = [u for above in path for u in tree.children[above] if u not in path]
        return (len(tree.order) - len(path)) % 2 == 0 and (not hanging or excess(hanging) <= 0)

    return {v for v in tree.order if is_possible(v)}
