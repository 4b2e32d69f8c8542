from random import Random
from typing import Self, TypeAlias

from rlve import Environment, Level
from rlve.algorithms.trees import RootedTree
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import counted, lines, spaced

WEIGHT_RANGE = 10

Selections: TypeAlias = list[tuple[int, int]]
"""The best selection of 0, 1, 2, ... vertices: its cost, and the vertices as bits."""


class MinimumTreeWeightedDominatingAncestor(Environment[list[int]]):
    """Select vertices of a rooted tree so that all others have a selected ancestor nearby.

    A repeated vertex is invalid, as distinct ones are asked for.
    """

    N: int  # the number of vertices, not counting the root
    parents: list[tuple[int, int] | None]  # (parent, length) of each vertex; None for the root
    C: list[int]
    K: int
    gold_answer: int

    max_difficulty = 40  # at 50, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Graph(vertices=None, parents="parents", values="C", answer="vertices")

    template = """
        A rooted tree has {vertices} vertices, numbered from 0 to {N}. Its root is vertex 0. Each
        line below gives another vertex, its parent, and the length of the edge between the two:

        {parents}

        The vertices 1 to {N} have these costs:

        {costs}

        The root is selected. Select exactly {others}. Let D[u] be the length of the path
        from u up to its nearest selected ancestor, the sum of the lengths of its edges. Here u is
        an ancestor of itself, so that D[u] = 0 if u is selected.

        Make the sum of C[u] * D[u] over all vertices u from 1 to {N} as small as possible. Any best
        selection is accepted.

        Output format: one line with the selected vertices other than 0, each once, in any order,
        separated by spaces.
        """

    def prompt(self) -> str:
        rows = [
            f"vertex {v}: parent {edge[0]}, length {edge[1]}"
            for v, edge in enumerate(self.parents)
            if edge is not None
        ]
        costs = [f"C[{v}]={cost}" for v, cost in enumerate(self.C) if v]
        return self.fill(
            vertices=self.N + 1,
            parents=lines(rows),
            costs=spaced(costs),
            others=counted(self.K, "other vertex", "other vertices"),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        order = [0, *rng.sample(range(1, N + 1), N)]
        parents: list[tuple[int, int] | None] = [None] * (N + 1)
        for i in range(1, N + 1):
            parents[order[i]] = order[rng.randrange(i)], rng.randint(1, WEIGHT_RANGE)
        C = [0, *(rng.randint(0, WEIGHT_RANGE) for _ in range(N))]
        K = rng.randint(1, N - 1)
        gold, _ = best_selection(rooted(parents), C, K)
        return cls(N=N, parents=parents, C=C, K=K, gold_answer=gold)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.K or len(set(answer)) < self.K:
            return INVALID
        if not all(1 <= v <= self.N for v in answer):
            return INVALID
        tree = rooted(self.parents)
        nearest = {v: v for v in (0, *answer)}
        cost = 0
        for v in tree.order:
            if v not in nearest:
                nearest[v] = nearest[tree.parent[v]]
            cost += self.C[v] * (tree.depth[v] - tree.depth[nearest[v]])
        return ratio(self.gold_answer, cost) ** 5

    def reference(self) -> str:
        _, bits = best_selection(rooted(self.parents), self.C, self.K)
        return spaced(v for v in range(1, self.N + 1) if bits >> v & 1)


def rooted(parents: list[tuple[int, int] | None]) -> RootedTree:
    edges = [(edge[0], v, edge[1]) for v, edge in enumerate(parents) if edge is not None]
    return RootedTree(edges, 0)


def best_selection(tree: RootedTree, C: list[int], K: int) -> tuple[int, int]:
    """The cheapest selection of K vertices besides the root."""
    # For the subtree of each vertex, by its nearest selected ancestor above it.
    tables: dict[int, dict[int, Selections]] = {}

    def below(v: int, ancestor: int) -> Selections:
        """For everything below v, not counting v itself."""
        selections: Selections = [(0, 0)]
        for child in tree.children[v]:
            selections = together(selections, tables[child][ancestor])
        return selections

    for v in reversed(tree.order[1:]):
        with_v = [(cost, bits | 1 << v) for cost, bits in below(v, v)]
        tables[v] = {}
        for ancestor in tree.path(v)[:-1]:
            own = C[v] * (tree.depth[v] - tree.depth[ancestor])
            without_v = [(cost + own, bits) for cost, bits in below(v, ancestor)]
            either = map(min, without_v[1:], with_v)
            tables[v][ancestor] = [without_v[0], *either, with_v[-1]]
    return below(0, 0)[K]


def together(a: Selections, b: Selections) -> Selections:
    """The best selections in two parts of the tree."""
    return [
        min(
            (a[i][0] + b[k - i][0], a[i][1] | b[k - i][1])
            for i in range(max(0, k - len(b) + 1), min(k, len(a) - 1) + 1)
        )
        for k in range(len(a) + len(b) - 1)
    ]
