from itertools import pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge, ordered
from rlve.algorithms.trees import RootedTree, longest_path
from rlve.answers import integer
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import exact
from rlve.sampling.rejection import spread
from rlve.sampling.trees import random_tree
from rlve.text import counted, lines
from rlve.work import Work, find_longest_path, root_tree


class Patrol(Environment[int]):
    """Find the shortest patrol of a tree to which one or two edges are added.

    The answers of a level are about equally likely; on small trees there are few.
    """

    N: int
    edges: list[Edge]  # (u, v) with 1 <= u < v
    K: int  # 1 or 2
    reference_answer: int

    guessable = (
        "At low difficulties few answers are likely: at d = 3, the best constant is right in 44%."
    )

    max_difficulty = 45  # at 52, generating a problem takes too long
    picture = Graph(first=1)

    template = """
        A tree has {N} vertices, numbered from 1 to {N}. Its edges (u, v) are:

        {edges}

        Add exactly {added}. A new edge may join any two vertices, also two that are
        already joined by an edge, and it may join a vertex to itself.

        Then find a walk that starts and ends at vertex 1, uses each edge of the tree at least once
        and each new edge exactly once. Its length is the number of edges on it, each
        counted as often as it is used.

        What is the smallest possible length of the walk, over all choices of the new edges?

        Output format: one integer, the smallest length.
        """

    def prompt(self) -> str:
        return self.fill(edges=lines(self.edges), added=counted(self.K, "new edge"))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(4, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            edges = random_tree(rng, N, first=1)
            K = rng.randint(1, 2)
            return cls(N=N, edges=edges, K=K, reference_answer=shortest_patrol(edges, K))

        return spread(rng, draw, by=lambda problem: problem.reference_answer, draws=30)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        edges, uses = self.N - 1, 2 * (self.N - 1) + self.K
        yield f"All {edges} edges twice, and the new ones once: 2 * {edges} + {self.K} = {uses}"
        yield "A new edge saves one use of each edge between its ends. So join the ends of a"
        yield "longest path: from any vertex to a farthest one, from there to a farthest."
        path = yield from find_longest_path(self.edges, 1)
        length = uses - len(path) + 1
        yield f"{uses} - {len(path) - 1} = {length}"
        if self.K == 1:
            return str(length)
        yield "Some best pair of new edges includes this one. For the other, edges on that path"
        yield "count -1: they are then needed twice again."
        on_path = {ordered(a, b) for a, b in pairwise(path)}
        saved = yield from find_heaviest(self.edges, on_path)
        yield f"Best path {saved}: {length} - {saved} = {length - saved}"
        return str(length - saved)


def find_heaviest(edges: list[Edge], on_path: set[Edge]) -> Work[int]:
    """The largest weight of a path, where some edges count -1 and the others 1."""
    tree = yield from root_tree(edges, 1)
    yield "From below: the best way down from each vertex (0: stay there), and the best path whose"
    yield "top it is, which goes down by up to two children."
    down: dict[int, int] = {}
    heaviest = 0
    for v in reversed(tree.order):
        ways: list[int] = []
        texts: list[str] = []
        for child in tree.children[v]:
            sign = -1 if ordered(v, child) in on_path else 1
            ways.append(max(0, down[child] + sign))
            step = "+ 1" if sign > 0 else "- 1"
            texts.append(f"by {child}: {down[child]} {step} = {down[child] + sign}")
        first, second = sorted([0, 0, *ways])[:-3:-1]
        down[v] = first
        heaviest = max(heaviest, first + second)
        if ways:
            top = f"{first} + {second} = {first + second}"
            yield f"{v}: {', '.join(texts)}; down {first}, path {top}"
    return heaviest


def shortest_patrol(edges: list[Edge], K: int) -> int:
    """A new edge saves one of two uses of each edge on the path between its ends.

    A second new edge does the same, but where its path overlaps the first, that saving is lost.
    """
    path = longest_path(edges, 1)
    length = 2 * len(edges) + K - (len(path) - 1)
    if K == 2:
        saved = {ordered(u, v) for u, v in pairwise(path)}
        length -= largest_path_weight([(u, v, -1 if (u, v) in saved else 1) for u, v in edges])
    return length


def largest_path_weight(edges: list[tuple[int, int, int]]) -> int:
    """The largest weight of a path, which may be empty; weights may be negative."""
    tree = RootedTree(edges, edges[0][0])
    down: dict[int, int] = {}  # the largest weight from each vertex down
    heaviest = 0
    for v in reversed(tree.order):
        below = sorted(max(0, down[child] + tree.length(child)) for child in tree.children[v])
        down[v] = sum(below[-1:])
        heaviest = max(heaviest, sum(below[-2:]))
    return heaviest
