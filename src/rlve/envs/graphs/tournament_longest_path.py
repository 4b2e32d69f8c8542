from itertools import pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.rewards import INVALID, ratio
from rlve.text import lines, spaced
from rlve.work import Work, breadth_first, list_neighbours, state


class Tournament_LongestPath(Environment[list[int]]):
    """Find a longest simple path from a given vertex of a tournament.

    At high difficulties there is nearly always a path through all vertices.
    """

    N: int
    TO: list[list[bool]]  # [s][t]: whether an edge leads from s to t
    S: int  # where the path starts
    gold_answer: int  # the number of vertices of a longest path
    reference_answer: str

    max_difficulty = 70  # at 85, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Graph("TO", directed=True, marked="S", answer="path")

    template = """
        A directed graph has {N} vertices, numbered from 0 to {last}. Between any two vertices
        there is exactly one edge. Each line below is one edge (s, t): it leads from s to t only.

        {edges}

        Find a path along edges that starts at vertex {S}, visits no vertex more than once, and
        visits as many vertices as possible. If there are several, any of them is right.

        Output format: one line with the vertices of the path in order, separated by spaces.
        The first is {S}.
        """

    def prompt(self) -> str:
        vertices = range(self.N)
        edges = ((s, t) for s in vertices for t in vertices if self.TO[s][t])
        return self.fill(last=self.N - 1, edges=lines(edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        TO = [[False] * N for _ in range(N)]
        upwards = rng.random()
        for i in range(N):
            for j in range(i + 1, N):
                TO[i][j] = rng.random() < upwards
                TO[j][i] = not TO[i][j]
        S = rng.randrange(N)
        path = longest_tournament_path(TO, S)
        return cls(N=N, TO=TO, S=S, gold_answer=len(path), reference_answer=spaced(path))

    def parse(self, text: str) -> list[int]:
        return integers(text, at_least=1)

    def score(self, answer: list[int]) -> float:
        if answer[0] != self.S or len(set(answer)) != len(answer):
            return INVALID
        if not set(range(self.N)).issuperset(answer):
            return INVALID
        if not all(self.TO[s][t] for s, t in pairwise(answer)):
            return INVALID
        return ratio(len(answer), self.gold_answer) ** 5

    def work(self) -> Work[str]:
        edges = [(s, t) for s in range(self.N) for t in range(self.N) if self.TO[s][t]]
        near = yield from list_neighbours(range(self.N), edges, directed=True)
        yield "All vertices that can be reached fit into one path. Find them, then put each in"
        yield "after the vertex it was reached from, before the first one there that it leads to;"
        yield "those it passes lead to it. If it leads to none there, it goes last."
        reached = yield from breadth_first(self.S, near.__getitem__)
        path = [self.S]
        for v, before in reached.before.items():
            after = path.index(before) + 1
            place = next((i for i in range(after, len(path)) if path[i] in near[v]), len(path))
            path.insert(place, v)
            where = f"before {path[place + 1]}" if place + 1 < len(path) else "last"
            yield f"{v} after {before}, {where}: {spaced(path)}"
        yield state("Path", path)
        return spaced(path)


def longest_tournament_path(to: list[list[bool]], start: int) -> list[int]:
    """Round the strong component of the start, then through all later ones.

    All edges between two strong components lead from the earlier to the later one, and every
    component of three or more vertices has a cycle through all of them (Camion).
    """
    components = strong_components_in_order(to)
    first = next(i for i, component in enumerate(components) if start in component)
    path: list[int] = []
    for component in components[first:]:
        cycle = hamiltonian_cycle(to, component)
        turn = cycle.index(start) if start in cycle else 0
        path += cycle[turn:] + cycle[:turn]
    return path


def strong_components_in_order(to: list[list[bool]]) -> list[list[int]]:
    """Vertices by falling out-degree; a component ends where all edges lead to what follows."""
    n = len(to)
    components: list[list[int]] = [[]]
    leaving = 0
    for seen, v in enumerate(sorted(range(n), key=lambda v: -sum(to[v])), 1):
        components[-1].append(v)
        leaving += sum(to[v])
        if leaving == seen * (seen - 1) // 2 + seen * (n - seen):
            components.append([])
    return components[:-1]


def hamiltonian_cycle(to: list[list[bool]], component: list[int]) -> list[int]:
    """A cycle through all vertices of a strong component, grown from a triangle."""
    if len(component) == 1:
        return component
    a = component[0]
    after = [v for v in component if to[a][v]]
    before = [v for v in component if to[v][a]]
    cycle = next([a, b, c] for b in after for c in before if to[b][c])
    while len(cycle) < len(component):
        position, new = extension(to, cycle, [v for v in component if v not in cycle])
        cycle[position:position] = new
    return cycle


def extension(to: list[list[bool]], cycle: list[int], outside: list[int]) -> tuple[int, list[int]]:
    """Vertices that can be put into the cycle, and where.

    A vertex that is neither before nor after the whole cycle fits between two of its vertices. If
    there is none, an edge leads from one after the cycle to one before it.
    """
    for v in outside:
        for i in range(len(cycle)):
            if to[cycle[i - 1]][v] and to[v][cycle[i]]:
                return i, [v]
    after = [v for v in outside if to[cycle[0]][v]]
    before = [v for v in outside if to[v][cycle[0]]]
    return len(cycle), next([b, c] for b in after for c in before if to[b][c])
