from collections import Counter
from itertools import combinations
from math import prod
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge
from rlve.algorithms.trees import RootedTree
from rlve.answers import integer
from rlve.foundation.pictures import Graph
from rlve.rewards import closeness
from rlve.sampling.rejection import spread
from rlve.sampling.trees import random_tree
from rlve.text import lines, spaced
from rlve.work import Work, list_neighbours


class Tree_DistanceEqualTriad_Counting(Environment[int]):
    """Count the sets of three vertices of a tree that are equally far from each other.

    The answers of a level are about equally likely; on small trees there are few.
    """

    N: int
    edges: list[Edge]  # (u, v) with 1 <= u < v
    reference_answer: int

    max_difficulty = 120  # at 155, generating a problem takes too long
    picture = Graph(first=1)

    template = """
        A tree has {N} vertices, numbered from 1 to {N}. Its edges (u, v) are:

        {edges}

        The distance d(a, b) of two vertices is the number of edges on the path between them. Count
        the sets {{a, b, c}} of three different vertices with d(a, b) = d(b, c) = d(a, c).

        Output format: one integer, the number of such sets.
        """

    def prompt(self) -> str:
        return self.fill(edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 4 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            edges = random_tree(rng, N, first=1)
            gold = sum(triads_around(RootedTree(edges, v)) for v in range(1, N + 1))
            return cls(N=N, edges=edges, reference_answer=gold)

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield "Three vertices are such a set exactly if they are equally far from some middle"
        yield "vertex, in different branches of it. So a middle has three neighbours or more: list"
        yield "the vertices at each distance from it, branch by branch, as long as three branches"
        yield "have some. For every three branches, multiply their counts."
        near = yield from list_neighbours(range(1, self.N + 1), self.edges)
        total = 0
        if all(len(branches) < 3 for branches in near.values()):
            yield "No vertex has three neighbours"
        for middle, branches in near.items():
            if len(branches) < 3:
                continue
            tree = RootedTree(self.edges, middle)
            levels = [[v] for v in branches]
            depth = 1
            while sum(map(bool, levels)) >= 3:
                found = "; ".join(spaced(level) or "none" for level in levels)
                yield f"Middle {middle}, distance {depth}: {found}"
                for sizes in combinations([len(level) for level in levels if level], 3):
                    here = prod(sizes)
                    product = f"{' * '.join(map(str, sizes))} = {here}"
                    yield f"{product}, total {total} + {here} = {total + here}"
                    total += here
                levels = [[u for v in level for u in tree.children[v]] for level in levels]
                depth += 1
        yield f"So the number of sets is {total}"
        return str(total)


def triads_around(tree: RootedTree) -> int:
    """The sets of three vertices in three branches of the root, all at the same depth."""
    branch: dict[int, int] = {}  # identified by its vertex next to the root
    for v in tree.order[1:]:
        branch[v] = branch.get(tree.parent[v], v)
    ones: Counter[int] = Counter()  # by depth: the vertices in the branches so far,
    twos: Counter[int] = Counter()  # and the pairs of them in two branches
    threes = 0
    for (_, depth), count in sorted(Counter((branch[v], tree.depth[v]) for v in branch).items()):
        threes += twos[depth] * count
        twos[depth] += ones[depth] * count
        ones[depth] += count
    return threes
