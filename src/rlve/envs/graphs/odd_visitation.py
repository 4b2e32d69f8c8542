from itertools import pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge, neighbour_lists, ordered
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import INVALID, exact
from rlve.sampling.graphs import random_edges
from rlve.sampling.trees import random_labelled_tree
from rlve.text import counted, lines, spaced
from rlve.work import Work, list_neighbours, state

EDGE_RATIOS = tuple(tenths / 10 for tenths in range(10, 21))


class OddVisitation(Environment[list[int]]):
    """Find a walk that visits every vertex of a graph an odd number of times."""

    N: int
    edge_ratio: float  # edges per vertex
    edges: list[Edge]  # (u, v) with u < v
    reference_answer: str

    guessable = "At difficulties 0 and 1, most graphs are complete or lack an edge or two."

    max_difficulty = 45  # at 55, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Graph(answer="path")

    template = """
        A connected undirected graph has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (u, v): it joins the vertices u and v.

        {edges}

        Find a walk, a list of vertices, such that
        - any two consecutive vertices of the list are joined by an edge;
        - each of the {N} vertices occurs in the list an odd number of times.
        The walk may start and end anywhere, it may use vertices and edges again, and it may have
        any length. At least one such walk exists; any of them is right.

        Output format: one line with the vertices of the walk in order, separated by spaces,
        without its length.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = grow(3, d)
        return [{"N": N, "edge_ratio": r} for r in EDGE_RATIOS if int(N * r) <= N * (N - 1) // 2]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_ratio: float) -> Self:
        tree = random_labelled_tree(rng, N)
        edges = tree + random_edges(rng, N, max(0, int(N * edge_ratio) - len(tree)), besides=tree)
        rng.shuffle(edges)
        return cls(
            N=N, edge_ratio=edge_ratio, edges=edges, reference_answer=spaced(odd_walk(N, edges))
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        edges = set(self.edges)
        if not set(range(self.N)).issuperset(answer):
            return INVALID
        if not all(ordered(u, v) in edges for u, v in pairwise(answer)):
            return INVALID
        odd = [False] * self.N
        for v in answer:
            odd[v] = not odd[v]
        return exact(all(odd))

    def work(self) -> Work[str]:
        yield "Walk from 0 to new vertices, and back where there is none. When a vertex is left for"
        yield "good after an even number of visits, go there once more."
        near = yield from list_neighbours(range(self.N), self.edges)
        walk, path, seen = [0], [0], {0}
        while path:
            here = path[-1]
            ahead = next((v for v in near[here] if v not in seen), None)
            if ahead is not None:
                seen.add(ahead)
                path.append(ahead)
                walk.append(ahead)
                yield f"On to {ahead}: {spaced(walk)}"
                continue
            path.pop()
            if path:
                times = walk.count(here)
                walk.append(path[-1])
                again = ""
                if times % 2 == 0:
                    walk += [here, path[-1]]
                    again = " and once more"
                visits = counted(times, "visit")
                yield f"{here} has {visits}, back to {path[-1]}{again}: {spaced(walk)}"
        if walk.count(0) % 2 == 0:
            yield f"0 has {walk.count(0)} visits, so the last one is dropped"
            walk.pop()
        yield state("Walk", walk)
        return spaced(walk)


def odd_walk(n: int, edges: list[Edge]) -> list[int]:
    """Walk down and up a depth-first tree; a child with an even number of visits gets one more."""
    neighbours = neighbour_lists(n, edges)
    times = [0] * n
    walk: list[int] = []

    def visit(v: int) -> None:
        walk.append(v)
        times[v] += 1

    path = [0]
    visit(0)
    while path:
        v = path[-1]
        new = next((u for u in neighbours[v] if not times[u]), None)
        if new is not None:
            path.append(new)
            visit(new)
            continue
        path.pop()
        if path:
            visit(path[-1])
            if times[v] % 2 == 0:
                visit(v)
                visit(path[-1])
    return walk if times[0] % 2 else walk[:-1]
