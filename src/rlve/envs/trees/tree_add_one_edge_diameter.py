from itertools import combinations, combinations_with_replacement
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import WeightedEdge
from rlve.algorithms.trees import longest_path, tree_distances
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.sampling.trees import random_weighted_tree
from rlve.text import lines


class TreeAddOneEdgeDiameter(Environment[list[int]]):
    """Add an edge to a weighted tree so that its two farthest vertices are as near as possible.

    A problem solved by the answer 1 1, by 1 2 or by one of two random edges is redrawn.
    """

    N: int
    edges: list[WeightedEdge]  # (u, v, w) with 1 <= u < v
    L: int
    gold_answer: int  # the smallest largest distance

    max_difficulty = 80  # at 95, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Graph(first=1, answer="edges")

    template = """
        A tree has {N} vertices, numbered from 1 to {N}.
        Each line below is one edge (u, v, w): it joins the vertices u and v and has length w.

        {edges}

        Add one new edge of length {L} between two vertices x and y. They may already be joined by
        an edge; and x = y is allowed, but changes nothing. The distance between two vertices is the
        smallest total length of the edges on a path between them, which can use the new edge.

        Choose x and y such that the largest distance between any two vertices is as small as
        possible. Any best choice is accepted.

        Output format: one line with x and y, separated by a space.
        """

    def prompt(self) -> str:
        return self.fill(edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 4 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            edges = random_weighted_tree(rng, N, 0, N, first=1)
            L = rng.randint(0, N)
            gold, _ = best_edge(edges, L)
            return cls(N=N, edges=edges, L=L, gold_answer=gold)

        def is_hard_to_guess(problem: Self) -> bool:
            guesses = [(1, 1), (1, 2), *(rng.sample(range(1, N + 1), 2) for _ in range(2))]
            return all(problem.score([x, y]) < 1 for x, y in guesses)

        return prefer(draw, until=is_hard_to_guess)

    def parse(self, text: str) -> list[int]:
        return integers(text, count=2)

    def score(self, answer: list[int]) -> float:
        x, y = answer
        if not (1 <= x <= self.N and 1 <= y <= self.N):
            return INVALID
        return (
            ratio(self.gold_answer, largest_distance(tree_distances(self.edges), x, y, self.L)) ** 5
        )

    def reference(self) -> str:
        _, (x, y) = best_edge(self.edges, self.L)
        return f"{x} {y}"


def largest_distance(far: dict[int, dict[int, int]], x: int, y: int, L: int) -> int:
    """With a new edge between x and y; `far` holds the distances without it."""
    to_x, to_y = far[x], far[y]
    return max(
        min(far[a][b], to_x[a] + L + to_y[b], to_y[a] + L + to_x[b])
        for a, b in combinations(far, 2)
    )


def best_edge(edges: list[WeightedEdge], L: int) -> tuple[int, tuple[int, int]]:
    """The smallest largest distance, and a new edge for it: one between vertices of a longest path.

    An end off the path does no better than the vertex where its branch leaves the path.
    """
    far = tree_distances(edges)
    # x = y allows for a path of length 0, which may be a single vertex.
    pairs = combinations_with_replacement(longest_path(edges, edges[0][0]), 2)
    return min((largest_distance(far, x, y, L), (x, y)) for x, y in pairs)
