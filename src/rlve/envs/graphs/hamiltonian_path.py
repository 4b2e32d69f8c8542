from heapq import heappop, heappush
from itertools import pairwise
from math import inf
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import WeightedEdge, shortest_paths
from rlve.algorithms.tours import lightest_tour
from rlve.answers import integers
from rlve.errors import GenerationError
from rlve.foundation.pictures import Graph
from rlve.rewards import INVALID, ratio
from rlve.sampling.graphs import arc_count, random_arcs
from rlve.text import lines, spaced
from rlve.work import Work

EDGE_DENSITIES = (0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95)


class HamiltonianPath(Environment[list[int]]):
    """Find a lightest walk that visits every vertex of a weighted directed graph at least once.

    Unlike a Hamiltonian path in the usual sense, the walk may return to a vertex.
    """

    N: int
    edge_density: float
    edges: list[WeightedEdge]  # (s, t, w): from s to t
    reference_answer: str
    reference_answer_weight: int  # the minimum total weight

    max_difficulty = 40  # at 50, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Graph(directed=True, answer="path")

    template = """
        A directed graph has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (s, t, w): it leads from s to t only and has weight w.

        {edges}

        Find a walk along edges that visits every vertex at least once and has the smallest total
        weight. It may start and end anywhere, and it may visit a vertex or use an edge again;
        the weight of an edge counts each time the edge is used.
        If several walks have the smallest weight, any of them is right.

        Output format: one line with the vertices of the walk in order, separated by spaces.
        For example, 0 2 0 is the walk from 0 to 2 and back to 0.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = 3 + d
        return [{"N": N, "edge_density": p} for p in EDGE_DENSITIES if arc_count(N, p) >= N]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_density: float) -> Self:
        planted = list(pairwise(rng.sample(range(N), N)))
        others = random_arcs(rng, N, arc_count(N, edge_density) - len(planted), besides=planted)
        edges = [(s, t, rng.randint(1, N)) for s, t in planted]
        edges += [(s, t, rng.randint(1, max(1, N // 2))) for s, t in others]
        rng.shuffle(edges)
        walk, weight = lightest_walk(N, edges)
        return cls(
            N=N,
            edge_density=edge_density,
            edges=edges,
            reference_answer=spaced(walk),
            reference_answer_weight=weight,
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if set(answer) != set(range(self.N)):
            return INVALID
        weights = {(s, t): w for s, t, w in self.edges}
        steps = list(pairwise(answer))
        if not weights.keys() >= set(steps):
            return INVALID
        return ratio(self.reference_answer_weight, sum(weights[step] for step in steps)) ** 5

    def work(self) -> Work[str]:
        into = {
            v: min((w for _, t, w in self.edges if t == v), default=None) for v in range(self.N)
        }
        yield "A vertex that no edge enters must be first. All vertices but the first are entered."
        yield "Lightest edges into: " + ", ".join(
            f"{v} ({'none' if w is None else w})" for v, w in into.items()
        )
        yield "Bound of a walk: its weight, and these weights for all vertices not yet visited."
        yield "Take a walk of least bound: if it visits all, it is lightest; if not, extend it."
        walks: list[tuple[int, int, int, list[int]]] = []  # by bound, then the longest first
        known: dict[tuple[int, frozenset[int]], int] = {}  # weights by last vertex and visited ones

        def bound(walk: list[int], weight: int) -> str:
            left = [w for v, w in into.items() if v not in walk and w is not None]
            heappush(walks, (weight + sum(left), -len(set(walk)), weight, walk))
            known[walk[-1], frozenset(walk)] = weight
            terms = " + ".join(map(str, [weight, *left]))
            return f"bound {terms} = {weight + sum(left)}" if left else "visits all"

        for v in [v for v, w in into.items() if w is None] or into:
            yield f"{v}: {bound([v], 0)}"
        while True:
            least, _, weight, walk = heappop(walks)
            if len(set(walk)) == self.N:
                yield f"So {spaced(walk)} visits all with weight {weight}, and no bound is smaller"
                return spaced(walk)
            ahead = [(t, w) for s, t, w in self.edges if s == walk[-1]]
            yield f"Extend {spaced(walk)}, bound {least}" + ("" if ahead else ": no edge leads on")
            for t, w in ahead:
                longer, total = [*walk, t], weight + w
                to = f"{spaced(longer)}: {weight} + {w} = {total}"
                if known.get((t, frozenset(longer)), total + 1) <= total:
                    yield f"{to}, no better than another walk to {t} that visits the same"
                else:
                    yield f"{to}, {bound(longer, total)}"


def lightest_walk(n: int, edges: list[WeightedEdge]) -> tuple[list[int], int]:
    """A lightest walk that visits all vertices, and its weight.

    Each move to a vertex not visited before goes along a shortest path, and the order of these
    moves is a lightest tour once an extra vertex joins its ends at no cost.
    """
    shortest = [shortest_paths(edges, s) for s in range(n)]
    cost: list[list[float]] = [[0] * (n + 1)]  # the extra vertex comes first
    cost += [[0, *(shortest[s].distance.get(t, inf) for t in range(n))] for s in range(n)]
    tour = lightest_tour(cost)
    if tour is None:
        raise GenerationError("no walk visits all vertices")
    stops = [v - 1 for v in tour[1:]]
    walk = stops[:1]
    weight = 0
    for s, t in pairwise(stops):
        walk += shortest[s].to(t)[1:]
        weight += shortest[s].distance[t]
    return walk, weight
