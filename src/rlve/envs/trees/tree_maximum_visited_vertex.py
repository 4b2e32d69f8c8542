from itertools import pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge, ordered
from rlve.algorithms.trees import RootedTree
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.trees import random_tree
from rlve.text import lines, spaced
from rlve.work import Work, breadth_first, list_neighbours, path_back, state


class TreeMaximumVisitedVertex(Environment[list[int]]):
    """Find a walk of a given length in a tree that visits as many vertices as possible."""

    N: int
    M: int
    edges: list[Edge]  # (u, v) with u < v
    gold_answer: int

    max_difficulty = 50  # at 62, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Graph(answer="path")

    template = """
        A tree has {N} vertices, numbered from 0 to {last}. Its edges (u, v) are:

        {edges}

        Find a walk that starts at vertex 0 and makes exactly {M} moves. Each move leads along an
        edge to a neighbour; vertices and edges can be used several times.
        Make the number of different vertices that the walk visits, vertex 0 included, as large as
        possible. Any best walk is accepted.

        Output format: one line with the {length} vertices of the walk in order, the first of which
        is 0, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, length=self.M + 1, edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        M = rng.randint(2, 2 * (N - 1) - 1)
        edges = random_tree(rng, N)
        return cls(N=N, M=M, edges=edges, gold_answer=len(set(best_walk(edges, M))))

    def parse(self, text: str) -> list[int]:
        return integers(text, at_least=1)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.M + 1 or answer[0] != 0:
            return INVALID
        if not {ordered(u, v) for u, v in pairwise(answer)} <= set(self.edges):
            return INVALID
        return ratio(len(set(answer)), self.gold_answer) ** 3

    def reference(self) -> str:
        return spaced(best_walk(self.edges, self.M))

    def work(self) -> Work[str]:
        yield "A new vertex costs one move if it is on the way from 0 to the end of the walk,"
        yield "otherwise two, there and back. So go to a farthest vertex, with detours as far as"
        yield "the moves allow."
        near = yield from list_neighbours(range(self.N), self.edges)
        reached = yield from breadth_first(0, near.__getitem__)
        last = max(reached.distance, key=reached.distance.__getitem__)
        path = yield from path_back(reached, last)
        if len(path) > self.M:
            yield f"Moves 1 to {self.M} visit a new vertex each"
            walk = path[: self.M + 1]
            yield state("Walk", walk)
            return spaced(walk)
        spare = self.M - len(path) + 1
        yield f"Moves so far {len(path) - 1}, left {self.M} - {len(path) - 1} = {spare}"
        beside = [v for v in reached.distance if v not in path][: spare // 2]
        for v in beside:
            yield f"Detour from {reached.before[v]} to {v}, left {spare} - 2 = {spare - 2}"
            spare -= 2
        walk: list[int] = []
        for v in path:
            walk += round_trip(v, [(reached.before[u], u) for u in beside])
        yield state("Walk", walk)
        if len(walk) <= self.M:
            walk += [walk[-2 - i % 2] for i in range(self.M + 1 - len(walk))]
            yield state(f"Then back and forth, {self.M} moves in all", walk)
        return spaced(walk)


def round_trip(v: int, detours: list[Edge]) -> list[int]:
    """A vertex, and the way to the ends of all detours that begin at it and back."""
    way = [v]
    for start, end in detours:
        if start == v:
            way += [*round_trip(end, detours), v]
    return way


def best_walk(edges: list[Edge], M: int) -> list[int]:
    """A longest path, where each move visits a new vertex, with detours of two moves per vertex.

    Moves left over once everything is visited, or too few for a detour, go back and forth.
    """
    tree = RootedTree(edges, 0)
    path = tree.path(tree.deepest())[: M + 1]
    beside = [v for v in tree.order if v not in path]
    detours = set(beside[: (M + 1 - len(path)) // 2])  # with each vertex, its parent
    walk: list[int] = []
    stack = [(v, True) for v in reversed(path)]  # with whether its detours are still to come
    while stack:
        v, arrives = stack.pop()
        walk.append(v)
        if arrives:
            for child in tree.children[v]:
                if child in detours:
                    stack += [(v, False), (child, True)]
    walk += [walk[-2 - i % 2] for i in range(M + 1 - len(walk))]
    return walk
