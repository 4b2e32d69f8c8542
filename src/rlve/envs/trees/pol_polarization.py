from collections import Counter
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
from rlve.text import lines
from rlve.work import Work, root_tree


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
        yield "a against b at a vertex: of its subtree, a vertices lead to it, itself included,"
        yield "and it leads to b, or the other way round, as all directions can be turned. A branch"
        yield "of which k lead to its top, or are led to, goes to one side: a + k against b has"
        yield "k * b pairs more. What is beaten on both sides and in pairs by another is left out."
        degrees = Counter(v for edge in self.edges for v in edge)
        tree = yield from root_tree(self.edges, max(sorted(degrees), key=lambda v: degrees[v]))
        most: dict[int, dict[int, int]] = {}  # vertex -> how many lead to it -> most pairs
        for v in reversed(tree.order):
            joined = {(1, 1): 0}
            for u in tree.children[v]:
                ways = {
                    (side, k, other, pairs, inside)
                    for (a, b), pairs in joined.items()
                    for k, inside in most[u].items()
                    for side, other in ((a, b), (b, a))
                }
                yield f"{u} joined to {v}:"
                made: dict[tuple[int, int], int] = {}
                for side, k, other, pairs, inside in sorted(ways, reverse=True):
                    total = pairs + inside + k * other
                    sides = max(side + k, other), min(side + k, other)
                    made[sides] = max(total, made.get(sides, 0))
                    sums = f"{pairs} + {inside} + {k} * {other} = {total}"
                    yield f"{side} + {k} = {side + k} against {other}: {sums}"
                joined = not_beaten(made)
            if v == tree.root:
                yield f"Most pairs at the root: {max(joined.values())}"
                return str(max(joined.values()))
            by_pairs = sorted(joined.items(), key=lambda item: item[1])
            ends = not_beaten({(n, 0): pairs for sides, pairs in by_pairs for n in sides})
            most[v] = {n: pairs for (n, _), pairs in ends.items()}
            if tree.children[v]:
                said = ", ".join(f"{n} (pairs: {pairs})" for n, pairs in most[v].items())
                yield f"Lead to {v}: {said}"
        raise ValueError("the root comes last")


def not_beaten(pairs: dict[tuple[int, int], int]) -> dict[tuple[int, int], int]:
    """The sizes of the two sides for which no others are as large, with as many pairs."""
    return {
        (a, b): worth
        for (a, b), worth in pairs.items()
        if not any(
            other != (a, b) and other[0] >= a and other[1] >= b and more >= worth
            for other, more in pairs.items()
        )
    }


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
