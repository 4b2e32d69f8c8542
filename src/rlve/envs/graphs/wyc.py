from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import WeightedEdge, strong_components
from rlve.answers import integer
from rlve.foundation.pictures import Graph
from rlve.rewards import closeness
from rlve.sampling.rejection import redraw, spread
from rlve.text import counted, lines
from rlve.work import Work

HEAVIEST = 3


class WYC(Environment[int]):
    """Find the weight of the K-th lightest walk of a directed graph with weights 1, 2 and 3.

    Low levels have few answers, so each of several problems with different answers is equally
    likely.
    """

    N: int
    MAX_K: int
    edges: list[WeightedEdge]  # (s, t, w): from s to t; vertices are numbered from 1
    K: int
    reference_answer: int

    max_difficulty = 1_000  # the highest difficulty measured
    picture = Graph(first=1, directed=True)

    template = """
        A directed graph has {N} vertices, numbered from 1 to {N}.
        Each line below is one edge (s, t, w): it leads from s to t only and has weight w.
        Lines can be equal; each line is an edge of its own.

        {edges}

        A walk is a sequence of one or more edges, each of which starts where the one before it
        ends. It may start and end anywhere and use vertices and edges any number of times.
        Two walks are different if their sequences of edges are; different edges between the same
        vertices make different walks, even if their weights are equal.
        The weight of a walk is the sum of the weights of its edges, each counted as often as it
        is used.

        All walks are put in order of their weights, the lightest first. Walks of equal weight stand
        in any order. What is the weight of walk number {K} (the first is number 1)?
        There {walks}.

        Output format: one integer.
        """

    def prompt(self) -> str:
        return self.fill(
            edges=lines(self.edges),
            walks=f"{'is' if self.K == 1 else 'are'} at least {counted(self.K, 'walk')}",
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": N, "MAX_K": 5 * 2**d} for N in range(2, 9)]

    @classmethod
    def sample(cls, rng: Random, N: int, MAX_K: int) -> Self:
        def draw() -> tuple[list[WeightedEdge], int, int]:
            edges, K = redraw(
                lambda: (random_multigraph(rng, N), rng.randint(1, MAX_K)),
                until=lambda drawn: has_walks(N, *drawn),
            )
            return edges, K, weight_of_walk(N, edges, K)

        edges, K, weight = spread(rng, draw, by=lambda drawn: drawn[2])
        return cls(N=N, MAX_K=MAX_K, edges=edges, K=K, reference_answer=weight)

    def parse(self, text: str) -> int:
        return integer(text, low=1)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        vertices = range(1, self.N + 1)
        into = {v: [(s, w) for s, t, w in self.edges if t == v] for v in vertices}
        yield "Edges into: " + "; ".join(
            f"{v} " + (", ".join(f"from {s} ({w})" for s, w in arcs) or "none")
            for v, arcs in into.items()
        )
        yield "Count the walks by weight and last vertex: for each edge into that vertex, in this"
        yield "order, the walks to its start that are lighter by its weight. Weight 0 counts as 1,"
        yield "for the edge alone."
        counts = [dict.fromkeys(vertices, 1)]
        walks = 0
        while walks < self.K:
            weight = len(counts)
            terms = {
                v: [counts[weight - w][s] for s, w in arcs if w <= weight]
                for v, arcs in into.items()
            }
            counts.append({v: sum(values) for v, values in terms.items()})
            new = list(counts[-1].values())
            yield f"Weight {weight}: " + "; ".join(
                f"to {v}: {' + '.join(map(str, values)) or 0}"
                + (f" = {sum(values)}" if len(values) > 1 else "")
                for v, values in terms.items()
            )
            yield f"Walks so far: {' + '.join(map(str, [walks, *new]))} = {walks + sum(new)}"
            walks += sum(new)
        yield f"So walk {self.K} has weight {len(counts) - 1}"
        return str(len(counts) - 1)


def random_multigraph(rng: Random, n: int) -> list[WeightedEdge]:
    edges: list[WeightedEdge] = []
    for _ in range(rng.randint(1, n * (n - 1))):
        s, t = rng.sample(range(1, n + 1), 2)
        edges.append((s, t, rng.randint(1, HEAVIEST)))
    return edges


def has_walks(n: int, edges: list[WeightedEdge], k: int) -> bool:
    """Whether there are k walks: infinitely many with a cycle, else none of n or more edges."""
    components = strong_components(n, [(s - 1, t - 1) for s, t, _ in edges])
    if len(components) < n:
        return True
    walks, ends = 0, [1] * (n + 1)  # walks that end at each vertex, edge by edge
    for _ in range(n):
        longer = [0] * (n + 1)
        for s, t, _ in edges:
            longer[t] += ends[s]
        ends = longer
        walks += sum(ends[1:])
    return walks >= k


def weight_of_walk(n: int, edges: list[WeightedEdge], k: int) -> int:
    """The smallest weight up to which there are k walks, found by repeated squaring.

    Each vertex is a chain of three states, and an edge of weight w enters the w-th, so that every
    step has weight 1. A final state collects all walks that have reached a vertex.
    """
    import numpy as np

    enough = k + n  # each vertex is also a walk without edges; larger counts do not matter
    states = HEAVIEST * n + 1
    # Sums of that many products of counts must fit.
    exact = np.int64 if states * enough * enough < 2**63 else object
    step = np.zeros((states, states), dtype=exact)
    for v in range(n):
        step[HEAVIEST * v, -1] = 1
        for delay in range(1, HEAVIEST):
            step[HEAVIEST * v + delay, HEAVIEST * v + delay - 1] = 1
    step[-1, -1] = 1
    for s, t, w in edges:
        step[HEAVIEST * (s - 1), HEAVIEST * (t - 1) + w - 1] += 1
    start = np.zeros(states, dtype=exact)
    start[: HEAVIEST * n : HEAVIEST] = 1
    powers = [step]  # of 1, 2, 4, ... steps
    while (start @ powers[-1])[-1] < enough:
        powers.append(np.minimum(powers[-1] @ powers[-1], enough))
    # After weight + 1 steps the walks of at most that weight have been collected.
    weight, walks = 0, start
    for i in reversed(range(len(powers))):
        further = np.minimum(walks @ powers[i], enough)
        if further[-1] < enough:
            walks = further
            weight += 1 << i
    return weight
