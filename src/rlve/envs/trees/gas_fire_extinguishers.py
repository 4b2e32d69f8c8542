from collections import Counter
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge
from rlve.algorithms.trees import RootedTree, longest_path, tree_distances
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.rewards import INVALID, ratio
from rlve.sampling.trees import random_tree
from rlve.text import lines, spaced


class GasFireExtinguishers(Environment[list[int]]):
    """Serve all vertices of a tree from nearby vertices with as few units as possible.

    A record without valid_P can also be judged.
    """

    N: int
    edges: list[Edge]  # (u, v) with u < v
    K: int
    S: int
    valid_P: list[list[int]] = []  # noqa: RUF012  the vertices within distance K of each
    gold_answer: int

    max_difficulty = 400  # at 480, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Graph(answer="classes")

    template = """
        A tree has {N} vertices, numbered from 0 to {last}. Its edges (u, v) are:

        {edges}

        Assign each vertex u to a vertex P[u] whose distance from u, the number of edges on the path
        between them, is at most {K}. P[u] = u is allowed, and so is the same P[u] for several u.

        If C[v] vertices are assigned to the vertex v, then v needs C[v] / {S} units, rounded up to
        an integer (none if C[v] = 0). Make the total number of units, over all vertices v, as small
        as possible. Any best assignment is accepted.

        Output format: one line with P[0] to P[{last}] in this order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        edges = random_tree(rng, N)
        diameter = len(longest_path(edges, 0)) - 1
        K = rng.randint(1, max(1, diameter // 2))
        S = rng.randint(2, max(2, N // K))
        gold = units(best_assignment(edges, K, S), S)
        return cls(N=N, edges=edges, K=K, S=S, valid_P=within(edges, K), gold_answer=gold)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N:
            return INVALID
        allowed = self.valid_P or within(self.edges, self.K)
        if any(p not in near for p, near in zip(answer, allowed, strict=True)):
            return INVALID
        return ratio(self.gold_answer, units(answer, self.S)) ** 3

    def reference(self) -> str:
        return spaced(best_assignment(self.edges, self.K, self.S))


def within(edges: list[Edge], K: int) -> list[list[int]]:
    """The vertices at a distance of at most K from each vertex, ascending."""
    far = tree_distances(edges)
    return [[v for v in sorted(far) if far[u][v] <= K] for u in sorted(far)]


def units(assignment: list[int], S: int) -> int:
    return sum(-(-count // S) for count in Counter(assignment).values())


def best_assignment(edges: list[Edge], K: int, S: int) -> list[int]:
    """Bottom-up, opening units and using their spare capacity only when it can wait no longer."""
    tree = RootedTree(edges, 0)
    assigned = [0] * len(tree.order)
    # Below each vertex, by distance from it: vertices not yet served, and capacity not yet used.
    waiting = {v: [[v], *([] for _ in range(K))] for v in tree.order}
    spare: dict[int, list[list[int]]] = {v: [[] for _ in range(K + 1)] for v in tree.order}

    def match(v: int, i: int, j: int) -> None:
        while waiting[v][i] and spare[v][j]:
            assigned[waiting[v][i].pop()] = spare[v][j].pop()

    def open_units(v: int, i: int) -> None:
        spare[v][0] += [v] * (-(-len(waiting[v][i]) // S) * S)
        match(v, i, 0)

    for v in reversed(tree.order):
        for child in tree.children[v]:
            for i in range(K):
                waiting[v][i + 1] += waiting[child][i]
                spare[v][i + 1] += spare[child][i]
        open_units(v, K)
        for reach in (K, K - 1):
            for i in range(reach + 1):
                match(v, i, reach - i)
    root = tree.root
    for i in reversed(range(K)):  # the lower a vertex, the less capacity it can use
        for j in range(K - i, -1, -1):
            match(root, i, j)
    waiting[root][0] = [v for group in waiting[root] for v in group]
    open_units(root, 0)
    return assigned
