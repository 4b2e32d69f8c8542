from collections import Counter
from itertools import accumulate, combinations
from math import comb
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge, ordered
from rlve.answers import integer
from rlve.foundation.pictures import Graph
from rlve.rewards import closeness
from rlve.sampling.rejection import spread
from rlve.text import lines, spaced
from rlve.work import Work, list_neighbours


class Clique_IndependentSet_Partitioning_Counting(Environment[int]):
    """Count the ways to split the vertices of a graph into a clique and an independent set.

    Small answers would dominate, so several graphs are drawn, and their answers are made equally
    likely.
    """

    N: int
    edges: list[Edge]  # (u, v) with u < v
    reference_answer: int

    guessable = (
        "With 3 vertices (d = 0), every graph has 3 splits; with a few more vertices, graphs still "
        "have few."
    )

    max_difficulty = 70  # at 90, a prompt exceeds 32,000 characters
    picture = Graph()

    template = """
        An undirected graph has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (u, v): it joins the vertices u and v.

        {edges}

        The vertices are split into two sets S and T: each vertex is in exactly one of them, and
        neither set is empty. Every two vertices of S must be joined by an edge, and no two
        vertices of T may be. A set of a single vertex is allowed as S and as T.
        Count the pairs (S, T) for which this is true.

        Output format: one integer, the number of pairs (S, T).
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> tuple[list[Edge], int]:
            edges = split_graph(rng, N)
            return edges, split_count(N, edges)

        edges, count = spread(rng, draw, by=lambda drawn: drawn[1])
        return cls(N=N, edges=edges, reference_answer=count)

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        near = yield from list_neighbours(range(self.N), self.edges)
        yield "Add up the degrees (how many neighbours) of the k vertices in S: an edge within S"
        yield "counts twice, one to T once. So the sum is at most k * (k - 1) plus the degrees in"
        yield "T, and equal exactly if every two of S are joined and no two of T. As this holds for"
        yield "any k vertices, no others then have a larger sum: S has the k largest degrees. Of"
        yield "equal ones, any can be taken."
        order = sorted(near, key=lambda v: -len(near[v]))
        degrees = [len(near[v]) for v in order]
        yield "Degrees: " + ", ".join(f"{v} has {len(near[v])}" for v in order)
        count = 0
        for k in range(1, self.N):
            inside, outside = degrees[:k], degrees[k:]
            bound = k * (k - 1) + sum(outside)
            most = f"at most {k} * {k - 1} + {' + '.join(map(str, outside))} = {bound}"
            total = " + ".join(map(str, inside)) + (f" = {sum(inside)}" if k > 1 else "")
            if sum(inside) != bound:
                yield f"k = {k}: {most}, degrees {total}, less"
                continue
            alike = [v for v in order if len(near[v]) == inside[-1]]
            free = inside.count(inside[-1])
            # If two could be left out as well as taken, they would be joined and not joined.
            chosen = "all" if free == len(alike) else "one" if free == 1 else "all but one"
            ways = 1 if chosen == "all" else len(alike)
            count += ways
            yield f"k = {k}: {most}, degrees {total}, equal"
            total = f"{count - ways} + {ways} = {count}"
            yield f"Take {chosen} of {spaced(alike)}, with degree {inside[-1]}: count {total}"
        yield f"So the number of pairs is {count}"
        return str(count)


def split_graph(rng: Random, n: int) -> list[Edge]:
    """A clique and random edges from it to the other vertices, in random order."""
    order = rng.sample(range(n), n)
    size = rng.randint(2, n - 1)
    crossing = [(u, v) for u in order[:size] for v in order[size:]]
    edges = [*combinations(order[:size], 2), *rng.sample(crossing, rng.randint(0, len(crossing)))]
    rng.shuffle(edges)
    return [ordered(u, v) for u, v in edges]


def split_count(n: int, edges: list[Edge]) -> int:
    """The number of splits into a non-empty clique and a non-empty independent set.

    For k vertices S and the others T, the degrees in S sum to at most k(k-1) plus those in T, with
    equality only if S is a clique and T is independent. So S has the k largest degrees, and the
    choice among vertices of the smallest degree in S is free.
    """
    degree = Counter(v for edge in edges for v in edge)
    degrees = sorted((degree[v] for v in range(n)), reverse=True)
    alike = Counter(degrees)
    splits = 0
    for k, inside in enumerate(accumulate(degrees[:-1]), 1):
        if inside == k * (k - 1) + 2 * len(edges) - inside:
            last = degrees[k - 1]
            splits += comb(alike[last], k - degrees.index(last))
    return splits
