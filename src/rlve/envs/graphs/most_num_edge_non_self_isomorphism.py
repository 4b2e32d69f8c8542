from math import comb
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact


class MostNumEdge_NonSelfIsomorphism(Environment[int]):
    """Say how many edges a graph without symmetry can have.

    A stored answer is not trusted, as published records are wrong for six vertices.
    """

    MAX_N: int
    N: int
    reference_answer: int

    max_difficulty = 600  # at 707, a verdict takes too long

    template = """
        An automorphism of a simple undirected graph is a bijection p from its vertices to its
        vertices such that any two vertices u and v are joined by an edge if and only if p(u) and
        p(v) are. A graph is asymmetric if the identity is its only automorphism.

        What is the largest number of edges that an asymmetric graph with {N} vertices can have?

        Output format: one integer.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": grow(10, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int) -> Self:
        N = rng.randint(6, MAX_N)
        return cls(MAX_N=MAX_N, N=N, reference_answer=most_edges(N))

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == most_edges(self.N))

    def reference(self) -> str:
        return str(most_edges(self.N))


def most_edges(n: int) -> int:
    """The edges of a complete graph minus the fewest of an asymmetric graph, for n >= 6.

    A graph and its complement have the same automorphisms. From seven vertices on, the fewest edges
    are those of a forest of as many different asymmetric trees as possible: the smallest ones, the
    last enlarged if necessary to reach n vertices in all.
    """
    if n == 6:
        return 9  # no forest of six vertices is asymmetric; the fewest edges are six
    trees, left = 0, n
    for order, count in enumerate(asymmetric_tree_counts(n.bit_length() + 12)):
        if order:
            taken = min(count, left // order)
            trees += taken
            left -= taken * order
            if taken < count:
                break
    return comb(n, 2) - (n - trees)


def asymmetric_tree_counts(limit: int) -> list[int]:
    """The number of asymmetric trees with 0, 1, ..., limit vertices.

    A rooted one has distinct smaller ones below its root: r(x) = x * prod (1 + x^k)^r_k. Without a
    root: r(x) minus half of r(x)^2 + r(x^2), the pairs of rooted trees joined by an edge.
    """
    rooted = [0] * (limit + 1)
    below = [1] + [0] * limit  # sets of distinct rooted trees with fewer vertices, by total size
    for order in range(1, limit + 1):
        rooted[order] = below[order - 1]
        chosen = [0] * (limit + 1)
        for times in range(limit // order + 1):
            chosen[times * order] = comb(rooted[order], times)
        below = [sum(below[i] * chosen[n - i] for i in range(n + 1)) for n in range(limit + 1)]
    counts = list(rooted)
    for order in range(limit + 1):
        pairs = sum(rooted[i] * rooted[order - i] for i in range(order + 1))
        equal = rooted[order // 2] if order % 2 == 0 else 0
        counts[order] -= (pairs + equal) // 2
    return counts
