from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge
from rlve.algorithms.trees import RootedTree
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.trees import random_tree
from rlve.text import indexed, lines, spaced
from rlve.work import Work, root_tree


class Maximum_IndependentSet_Tree(Environment[list[int]]):
    """Choose vertices of a tree, no two adjacent, with the largest total weight.

    The edges are listed in random order, as the order of creation would give much away.
    """

    N: int
    edges: list[Edge]  # (u, v) with u < v
    R: list[int]  # the weights
    reference_weight: int
    reference_answer: str

    max_difficulty = 45  # at 55, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Graph(values="R", answer="vertices")

    template = """
        A tree has {N} vertices, numbered from 0 to {last}. Its edges (u, v) are:

        {edges}

        Vertex i has weight R[i]:

        {weights}

        Choose distinct vertices, no two of them joined by an edge, such that their total weight is
        as large as possible. Any best choice is accepted.

        Output format: one line with the chosen vertices in any order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, edges=lines(self.edges), weights=indexed("R", self.R))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(4, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        edges = random_tree(rng, N)
        R = [rng.randint(1, N) for _ in range(N)]
        chosen = heaviest_independent_set(edges, R)
        return cls(
            N=N,
            edges=edges,
            R=R,
            reference_weight=sum(R[v] for v in chosen),
            reference_answer=spaced(chosen),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        chosen = set(answer)
        if len(chosen) < len(answer) or not all(0 <= v < self.N for v in answer):
            return INVALID
        if any(u in chosen and v in chosen for u, v in self.edges):
            return INVALID
        return ratio(sum(self.R[v] for v in answer), self.reference_weight) ** 3

    def work(self) -> Work[str]:
        tree = yield from root_tree(self.edges, 0)
        yield "For each vertex, from below: the best of its subtree if it is taken, or left."
        yield "If it is taken, its children are left; if left, each child has its better value."
        taken: dict[int, int] = {}
        left: dict[int, int] = {}
        for v in reversed(tree.order):
            below = tree.children[v]
            bests = [max(taken[child], left[child]) for child in below]
            taken[v] = self.R[v] + sum(left[child] for child in below)
            left[v] = sum(bests)
            terms = [self.R[v], *(left[child] for child in below)]
            yield f"{v}: taken {show_sum(terms)}, left {show_sum(bests)}"
        yield "From the root down, take what is better taken and whose parent is not taken:"
        chosen: list[int] = []
        for v in tree.order:
            if v != 0 and tree.parent[v] in chosen:
                yield f"{v}: not taken, {tree.parent[v]} is"
            elif taken[v] > left[v]:
                chosen.append(v)
                yield f"{v}: {taken[v]} > {left[v]}, taken"
            else:
                yield f"{v}: {taken[v]} <= {left[v]}, left"
        return spaced(chosen)


def show_sum(terms: list[int]) -> str:
    return f"{' + '.join(map(str, terms))} = {sum(terms)}" if len(terms) > 1 else str(sum(terms))


def heaviest_independent_set(edges: list[Edge], R: list[int]) -> list[int]:
    tree = RootedTree(edges, 0)
    taken: dict[int, int] = {}  # the largest weight below each vertex if it is taken,
    left: dict[int, int] = {}  # and if it is left
    for v in reversed(tree.order):
        taken[v] = R[v] + sum(left[child] for child in tree.children[v])
        left[v] = sum(max(taken[child], left[child]) for child in tree.children[v])
    chosen: set[int] = set()
    for v in tree.order:
        if taken[v] > left[v] and tree.parent.get(v) not in chosen:
            chosen.add(v)
    return sorted(chosen)
