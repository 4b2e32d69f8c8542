from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import is_permutation
from rlve.algorithms.graphs import Edge, ordered
from rlve.answers import integer_rows
from rlve.errors import Unparseable
from rlve.foundation.pictures import Graph
from rlve.rewards import INVALID, ratio
from rlve.text import grid, lines, spaced
from rlve.work import Work, root_tree


class TreeEvenPartitioning(Environment[list[list[int]]]):
    """Cut a tree into connected parts of equal size."""

    MAX_N: int
    MAX_K: int
    N: int  # the number of parts
    K: int  # the size of each
    edges: list[Edge]  # (u, v) with 1 <= u < v
    reference_answer: str

    max_difficulty = 200  # at 250, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Graph(vertices=None, first=1, answer="sets")

    template = """
        A tree has {vertices} vertices, numbered from 1 to {vertices}. Its edges (u, v) are:

        {edges}

        Divide the vertices into {N} sets of exactly {K} vertices each, such that every vertex is in
        exactly one set, and each set is connected: between any two of its vertices, the path in the
        tree has only vertices of the set. There is such a division; if there are several, any of
        them is right.

        Output format: {N} lines, one for each set, with its {K} vertices separated by spaces. The
        order of the lines and the order within a line do not matter.
        """

    def prompt(self) -> str:
        return self.fill(vertices=self.N * self.K, edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": 3 + d // 2, "MAX_K": 2 + (d + 1) // 2}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int, MAX_K: int) -> Self:
        N, K = rng.randint(2, MAX_N), rng.randint(2, MAX_K)
        vertices = rng.sample(range(1, N * K + 1), N * K)
        groups = [vertices[i * K : (i + 1) * K] for i in range(N)]
        edges = [
            ordered(group[i], group[rng.randrange(i)]) for group in groups for i in range(1, K)
        ]
        for i in range(1, N):
            earlier = groups[rng.randrange(i)]
            edges.append(ordered(rng.choice(groups[i]), rng.choice(earlier)))
        rng.shuffle(edges)
        return cls(MAX_N=MAX_N, MAX_K=MAX_K, N=N, K=K, edges=edges, reference_answer=grid(groups))

    def parse(self, text: str) -> list[list[int]]:
        sets = integer_rows(text)
        if len(sets) != self.N or any(len(row) != self.K for row in sets):
            raise Unparseable(f"not {self.N} lines of {self.K} integers")
        return sets

    def score(self, answer: list[list[int]]) -> float:
        set_of = {v: i for i, row in enumerate(answer) for v in row}
        if not is_permutation(set_of, self.N * self.K, first=1):
            return INVALID
        inside = [0] * self.N  # edges
        for u, v in self.edges:
            inside[set_of[u]] += set_of[u] == set_of[v]
        return ratio(inside.count(self.K - 1), self.N) ** 5

    def work(self) -> Work[str]:
        tree = yield from root_tree(self.edges, 1)
        yield f"From below: what is not yet a set of {self.K} can only be joined to its parent."
        group: dict[int, list[int]] = {}
        sets: list[list[int]] = []
        for v in reversed(tree.order):
            group[v] = [v, *(u for child in tree.children[v] for u in group[child])]
            if len(group[v]) == self.K:
                sets.append(group[v])
                yield f"At {v}: {spaced(group[v])}, a set"
                group[v] = []
            else:
                yield f"At {v}: {spaced(group[v])}, up to {tree.parent[v]}"
        return grid(sets)
