from random import Random
from typing import NamedTuple, Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge
from rlve.algorithms.trees import RootedTree
from rlve.answers import integer
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import exact
from rlve.sampling.rejection import spread
from rlve.sampling.trees import random_tree
from rlve.text import lines

NONE = -(10**9)  # there is no path


class MostComponentTreeRemovingTwoPaths(Environment[int]):
    """Find how many components can be left when two paths are removed from a tree.

    The answers of a level are about equally likely; at random, they would cluster.
    """

    N: int
    edges: list[Edge]  # (u, v) with 1 <= u < v
    reference_answer: int

    guessable = "Up to d = 3 there are at most four answers, and one is right in 36% there."

    max_difficulty = 40  # at 47, generating a problem takes too long
    picture = Graph(first=1)

    template = """
        A tree has {N} vertices, numbered from 1 to {N}. Its edges (u, v) are:

        {edges}

        Choose two paths. Each leads along edges from any vertex to any vertex without using a
        vertex twice, and may be a single vertex. The two paths must not have an edge in common, but
        they may have a vertex in common, and may even be the same single vertex.

        Then all vertices of both paths are removed, with all edges at them. What is the largest
        possible number of connected components of what remains?

        Output format: one integer, the largest number of components.
        """

    def prompt(self) -> str:
        return self.fill(edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(4, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            edges = random_tree(rng, N, first=1)
            return cls(N=N, edges=edges, reference_answer=most_components(edges))

        return spread(rng, draw, by=lambda problem: problem.reference_answer, draws=30)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)


class Branch(NamedTuple):
    """The heaviest paths in everything that hangs from a vertex."""

    down: int  # the heaviest that ends at it,
    across: int  # that passes through it,
    off: int  # and that avoids it

    @property
    def any(self) -> int:
        return max(self.across, self.off)


def most_components(edges: list[Edge]) -> int:
    """The largest number of components, where a vertex weighs its degree minus 2.

    Removing a set of vertices leaves 1 - (its size) + (the edges that touch it) components. So two
    disjoint paths leave 3 + (their weights), or 1 less if an edge joins them. Two paths through the
    vertex x leave (the degree of x) + (the weights of their up to four parts beyond x).
    """
    seen = branches(edges)
    crossing = (
        len(around) + sum(sorted((max(0, b.down) for b in around.values()), reverse=True)[:4])
        for around in seen.values()
    )
    disjoint = (
        max(3 + a.any + b.off, 3 + a.off + b.any, 2 + a.across + b.across)
        for u, v in edges
        for a, b in [(seen[v][u], seen[u][v])]
    )
    return max(*crossing, *disjoint)


def branches(edges: list[Edge]) -> dict[int, dict[int, Branch]]:
    """What hangs from the neighbours of each vertex, seen from the vertex."""
    tree = RootedTree(edges, 1)
    seen: dict[int, dict[int, Branch]] = {v: {} for v in tree.order}
    for v in reversed(tree.order[1:]):  # downwards
        seen[tree.parent[v]][v] = branch(list(seen[v].values()))
    for v in tree.order[1:]:  # upwards
        above = tree.parent[v]
        seen[v][above] = branch([b for u, b in seen[above].items() if u != v])
    return seen


def branch(beyond: list[Branch]) -> Branch:
    """What hangs from a vertex that carries these branches."""
    weight = len(beyond) - 1
    heaviest = sorted((max(0, b.down) for b in beyond), reverse=True)
    return Branch(
        down=weight + sum(heaviest[:1]),
        across=weight + sum(heaviest[:2]),
        off=max((b.any for b in beyond), default=NONE),
    )
