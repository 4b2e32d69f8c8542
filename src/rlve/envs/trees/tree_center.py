from collections import Counter
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import WeightedEdge
from rlve.algorithms.trees import RootedTree
from rlve.answers import integer
from rlve.errors import Unparseable
from rlve.foundation.pictures import Graph
from rlve.rewards import ratio
from rlve.sampling.rejection import prefer
from rlve.sampling.trees import random_weighted_tree
from rlve.text import lines
from rlve.work import Work, root_tree


class TreeCenter(Environment[int]):
    """Find the vertex of a tree with the smallest sum of weighted distances to all vertices.

    A vertex out of range is unparseable, as published. A tree whose best vertex has the most
    neighbours is redrawn up to twice, as a vertex copied from an edge would often be right.
    """

    N: int
    C: list[int]
    edges: list[WeightedEdge]  # (u, v, w) with u < v
    reference_answer: int
    gold_answer: int  # the smallest sum

    max_difficulty = 1_000  # the highest difficulty measured
    unique_up_to = None  # several answers can be right
    picture = Graph(values="C", answer="vertices")

    template = """
        A tree has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (u, v, w): it joins the vertices u and v and has length w.

        {edges}

        The vertices have these costs:

        {costs}

        dist(i, r) is the total length of the edges on the path between the vertices i and r; it is
        0 if i = r. Find a vertex r for which the sum of C[i] * dist(i, r) over all vertices i is as
        small as possible. If there are several, any of them is right.

        Output format: one integer, r.
        """

    def prompt(self) -> str:
        costs = lines(f"C[{i}]={cost}" for i, cost in enumerate(self.C))
        return self.fill(last=self.N - 1, edges=lines(self.edges), costs=costs)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 4 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            C = [rng.randint(1, N) for _ in range(N)]
            edges = random_weighted_tree(rng, N, 1, N)
            gold, best = min((cost_sum, r) for r, cost_sum in cost_sums(edges, C).items())
            return cls(N=N, C=C, edges=edges, reference_answer=best, gold_answer=gold)

        return prefer(draw, lambda problem: not problem.has_best_hub(), tries=3)

    def has_best_hub(self) -> bool:
        degrees = Counter(vertex for u, v, _ in self.edges for vertex in (u, v))
        return degrees[self.reference_answer] == max(degrees.values())

    def parse(self, text: str) -> int:
        r = integer(text)
        if not 0 <= r < self.N:
            raise Unparseable(f"not a vertex from 0 to {self.N - 1}")
        return r

    def score(self, answer: int) -> float:
        return ratio(self.gold_answer, cost_sums(self.edges, self.C)[answer]) ** 8

    def work(self) -> Work[str]:
        tree = yield from root_tree(self.edges, 0)
        yield "Below a vertex hang its own cost and those of its children's subtrees:"
        below: dict[int, int] = {}
        for v in reversed(tree.order):
            terms = [self.C[v], *(below[child] for child in tree.children[v])]
            below[v] = sum(terms)
            sums = f"{' + '.join(map(str, terms))} = " if len(terms) > 1 else ""
            yield f"Below {v}: {sums}{below[v]}"
        yield "A step to a child brings what is below it nearer, and all else farther away."
        yield f"So it pays if more than half of {below[0]} is below it; then going back does not."
        yield "Farther on, even less lies ahead: a vertex from which no step pays is best."
        at = 0
        while heavy := [v for v in tree.children[at] if 2 * below[v] > below[0]]:
            twice = 2 * below[heavy[0]]
            yield f"From {at} to {heavy[0]}: 2 * {below[heavy[0]]} = {twice} > {below[0]}"
            at = heavy[0]
        for v in tree.children[at]:
            yield f"Not to {v}: 2 * {below[v]} = {2 * below[v]} <= {below[0]}"
        yield f"So {at} is best"
        return str(at)


def cost_sums(edges: list[WeightedEdge], C: list[int]) -> dict[int, int]:
    """For each vertex r, the sum of C[i] * dist(i, r)."""
    tree = RootedTree(edges, 0)
    below = dict(enumerate(C))  # the total cost of each vertex and all below it
    for v in reversed(tree.order[1:]):
        below[tree.parent[v]] += below[v]
    sums = {0: sum(cost * tree.depth[i] for i, cost in enumerate(C))}
    for v in tree.order[1:]:
        # Moving from the parent to v, all below v get nearer and all others farther away.
        sums[v] = sums[tree.parent[v]] + tree.length(v) * (below[0] - 2 * below[v])
    return sums
