from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge
from rlve.algorithms.trees import RootedTree
from rlve.answers import integer
from rlve.foundation.pictures import Graph
from rlve.rewards import exact
from rlve.sampling.rejection import spread
from rlve.sampling.trees import random_tree
from rlve.text import lines, spaced
from rlve.work import Work, add_all, root_tree, state


class POLPolarization(Environment[int]):
    """Find how many pairs of vertices can be linked by directing the edges of a tree.

    The answers of a level are about equally likely; on small trees there are few.
    """

    N: int
    edges: list[Edge]  # (u, v) with u < v
    reference_answer: int

    max_difficulty = 1_000  # the highest difficulty measured
    picture = Graph()

    template = """
        A tree has {N} vertices, numbered from 0 to {last}. Its edges (u, v) are:

        {edges}

        Give every edge one of its two directions, such that the number of ordered pairs (X, Y) of
        different vertices for which a path along the directions leads from X to Y is as large as
        possible.

        What is the largest possible number of such pairs?

        Output format: one integer, the largest number of pairs.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 4 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            edges = random_tree(rng, N)
            return cls(N=N, edges=edges, reference_answer=most_pairs(edges))

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield "A known fact: it is best if in each branch of the middle vertex all edges lead to"
        yield "it, or all away from it."
        tree = yield from root_tree(self.edges, 0)
        sizes = tree.sizes()
        yield "Sizes of subtrees: " + ", ".join(f"{v} has {sizes[v]}" for v in reversed(tree.order))
        middle = centroid(self.edges)
        branches = RootedTree(self.edges, middle)
        parts = [branches.sizes()[v] for v in branches.children[middle]]
        above = (
            f" (above it {self.N} - {sizes[middle]} = {self.N - sizes[middle]})" if middle else ""
        )
        yield f"Middle {middle}, no branch has more than half of {self.N}: {spaced(parts)}{above}"
        yield "Each vertex makes a pair with every other vertex on its way to the middle:"
        yield "Distances: " + ", ".join(f"{v} at {d}" for v, d in branches.depth.items() if d)
        along = yield from add_all([d for d in branches.depth.values() if d])
        yield "Besides, each vertex in a branch to the middle makes one with each in a branch away."
        others = self.N - 1
        yield "The nearer the two kinds of branches are in size, the more such pairs."
        totals = {0}
        for size in parts:
            totals |= {total + size for total in totals}
            yield state(f"Sums of some branches, with one of {size}", sorted(totals))
        to = max(total for total in totals if 2 * total <= others)
        away = others - to
        yield f"Nearest to half of {others}: {to}"
        yield f"{to} to it, {others} - {to} = {away} away: {to} * {away} = {to * away} pairs"
        across = to * away
        yield f"{along} + {across} = {along + across}"
        return str(along + across)


def most_pairs(edges: list[Edge]) -> int:
    """In each branch at the centroid, it is best if all edges lead to it, or all away from it.

    Then each vertex is linked with all on its path to the centroid, and those in branches that lead
    to it with those in branches that lead away; the two kinds should be about equally many.
    """
    n = len(edges) + 1
    tree = RootedTree(edges, centroid(edges))
    sizes = tree.sizes()
    sums = 1  # bit s: some branches have s vertices together
    for branch in tree.children[tree.root]:
        sums |= sums << sizes[branch]
    across = max(s * (n - 1 - s) for s in range(n) if sums >> s & 1)
    return sum(sizes.values()) - n + across


def centroid(edges: list[Edge]) -> int:
    """A vertex none of whose branches has more than half of all vertices."""
    tree = RootedTree(edges, edges[0][0])
    sizes = tree.sizes()
    # The lowest vertex from which more than half of all vertices hang.
    return next(v for v in reversed(tree.order) if 2 * sizes[v] > len(tree.order))
