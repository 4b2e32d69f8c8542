from itertools import accumulate
from math import comb
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.trees import RootedTree
from rlve.answers import integer
from rlve.foundation.pictures import Graph
from rlve.rewards import exact_residue
from rlve.sampling.rejection import spread
from rlve.sampling.trees import random_tree
from rlve.text import spaced
from rlve.work import Work, modulo


class TreeTopologicalSequenceCounting(Environment[int]):
    """Count the permutations that satisfy comparisons forming a tree.

    For small N a few answers are frequent, so each one among several draws is equally likely. At N
    = 3 it is 1 or 2.
    """

    N: int
    MOD: int
    edges: list[tuple[int, str, int]]  # (u, sign, v) with u < v: p[u] sign p[v]
    reference_answer: int

    max_difficulty = 200  # at 260, generating a problem takes too long
    picture = Graph()

    template = """
        Count the permutations p[0] to p[{last}] of the integers 0 to {last} that satisfy all of
        these comparisons, whose pairs of indices form a tree:

        {comparisons}

        Give the count modulo {MOD}.

        Output format: one integer from 0 to {largest}.
        """

    def prompt(self) -> str:
        comparisons = "; ".join(f"p[{u}] {sign} p[{v}]" for u, sign, v in self.edges)
        return self.fill(last=self.N - 1, comparisons=comparisons, largest=self.MOD - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        MOD = rng.randint(2, 10**6)

        def draw() -> list[tuple[int, str, int]]:
            hidden = rng.sample(range(N), N)
            tree = random_tree(rng, N)
            return [(u, "<" if hidden[u] < hidden[v] else ">", v) for u, v in tree]

        edges = spread(rng, draw, by=lambda drawn: count_permutations(N, drawn))
        return cls(N=N, MOD=MOD, edges=edges, reference_answer=count_permutations(N, edges) % MOD)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, self.MOD)

    def work(self) -> Work[str]:
        yield "Give out the values 0, 1, 2, ... in this order. An index can get the next one if all"
        yield "indices whose entries must be smaller have theirs. Count the ways to serve each set"
        yield "of indices, as the sum over the sets without the index that was served last."
        before: list[set[int]] = [set() for _ in range(self.N)]
        for u, sign, v in self.edges:
            small, large = (u, v) if sign == "<" else (v, u)
            before[large].add(small)
        needs = ((i, spaced(sorted(small))) for i, small in enumerate(before) if small)
        yield "; ".join(f"{small} before {i}" for i, small in needs)
        ways: dict[frozenset[int], int] = {frozenset(): 1}
        for _ in range(self.N):
            after: dict[frozenset[int], list[int]] = {}
            for served, number in ways.items():
                for i in range(self.N):
                    if i not in served and before[i] <= served:
                        after.setdefault(served | {i}, []).append(number)
            for served, numbers in after.items():
                total = f"{' + '.join(map(str, numbers))} = " if len(numbers) > 1 else ""
                yield f"Served {spaced(sorted(served))}: {total}{sum(numbers)}"
            ways = {served: sum(numbers) for served, numbers in after.items()}
        (total,) = ways.values()
        answer = yield from modulo(total, self.MOD)
        yield f"So the number is {answer}"
        return str(answer)


def count_permutations(N: int, edges: list[tuple[int, str, int]]) -> int:
    """The number of permutations, by subtrees and the rank of p[root] within the subtree."""
    smaller = {(u, v) if sign == "<" else (v, u) for u, sign, v in edges}
    tree = RootedTree(((u, v) for u, _, v in edges), 0)
    ranks = {v: [1] for v in range(N)}
    for child in reversed(tree.order[1:]):
        parent = tree.parent[child]
        below = [0, *accumulate(ranks[child])]  # [m]: orders with the child among the first m
        if (parent, child) in smaller:
            below = [below[-1] - number for number in below]
        ranks[parent] = interleave(ranks[parent], below)
    return sum(ranks[0])


def interleave(ranks: list[int], below: list[int]) -> list[int]:
    """The orders of two sets together, by the rank of the marked element of the first set.

    ranks[i] orders of the first set have its element at rank i; below[m] orders of the second set
    fit if m of its elements come before that one.
    """
    size, other = len(ranks), len(below) - 1
    merged = [0] * (size + other)
    for i, number in enumerate(ranks):
        for m, suiting in enumerate(below):
            ways = comb(i + m, i) * comb(size - 1 - i + other - m, other - m)
            merged[i + m] += number * suiting * ways
    return merged
