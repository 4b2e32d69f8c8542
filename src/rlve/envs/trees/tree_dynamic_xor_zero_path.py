from collections import Counter
from itertools import combinations
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.bits import path_xors
from rlve.algorithms.graphs import WeightedEdge
from rlve.algorithms.trees import RootedTree
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import spread
from rlve.sampling.trees import random_weighted_tree
from rlve.text import lines, spaced
from rlve.work import Work, bitwise, root_tree, state


class TreeDynamic_XORZeroPath(Environment[list[int]]):
    """Count the paths with XOR 0 in a tree as its edges are deleted one by one.

    At the lowest levels, the few answers are about equally likely.
    """

    N: int
    edges: list[WeightedEdge]  # (u, v, w) with u < v
    removes: list[int]  # positions in the list of edges
    gold_answer: list[int]
    reference_answer: str

    max_difficulty = 400  # at 500, generating a problem takes too long
    picture = Graph()

    template = """
        A tree has {N} vertices, numbered from 0 to {last}. Each line below gives the number of an
        edge and the edge (u, v, w): it joins the vertices u and v and has weight w.

        {edges}

        The edges are deleted one by one, in this order of their numbers: {removes}

        At each moment, count the unordered pairs of different vertices that are still connected,
        and for which the bitwise XOR of the weights of all edges on the path between them is 0.

        Give this count before any edge is deleted, and after each of the {size} deletions.

        Output format: one line with the {N} counts in order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(
            last=self.N - 1,
            size=self.N - 1,
            edges=lines(f"edge {i}: {edge}" for i, edge in enumerate(self.edges)),
            removes=spaced(self.removes),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            edges = random_weighted_tree(rng, N, 0, N)
            removes = rng.sample(range(N - 1), N - 1)
            gold = zero_path_counts(edges, removes)
            return cls(
                N=N,
                edges=edges,
                removes=removes,
                gold_answer=gold,
                reference_answer=spaced(gold),
            )

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N:
            return INVALID
        right = sum(x == gold for x, gold in zip(answer, self.gold_answer, strict=True))
        return ratio(right, self.N) ** 5

    def work(self) -> Work[str]:
        tree = yield from root_tree(self.edges, 0)
        yield "Take the XOR on the way from the root to each vertex. What two ways share cancels,"
        yield "so a path has XOR 0 exactly if its ends have the same."
        weights = {frozenset(edge[:2]): edge[2] for edge in self.edges}
        xors = {0: 0}
        yield "Vertex 0: 0"
        for v in tree.order[1:]:
            above = tree.parent[v]
            weight = weights[frozenset((above, v))]
            if xors[above] == 0:
                yield f"Vertex {v}, from {above} by weight {weight}: {weight}"
                xors[v] = weight
                continue
            yield f"Vertex {v}, from {above} by weight {weight}:"
            xors[v] = yield from bitwise("XOR", xors[above], weight)
        pairs = [(u, v) for u, v in combinations(range(self.N), 2) if xors[u] == xors[v]]
        yield state("Pairs with equal XOR", (f"{u}-{v}" for u, v in pairs))
        counts = [len(pairs)]
        yield f"All are connected: count {len(pairs)}"
        left = list(self.edges)
        for i in self.removes:
            left.remove(self.edges[i])
            part = {v: sorted(RootedTree(left, v).order) for v in range(self.N)}
            pairs = [(u, v) for u, v in pairs if v in part[u]]
            counts.append(len(pairs))
            parts = " ".join(f"{{{spaced(part[v])}}}" for v in range(self.N) if v == part[v][0])
            yield f"Without edge {i}, parts {parts}"
            yield f"{state('Pairs', (f'{u}-{v}' for u, v in pairs))}, count {len(pairs)}"
        yield state("Counts", counts)
        return spaced(counts)


def zero_path_counts(edges: list[WeightedEdge], removes: list[int]) -> list[int]:
    """The counts before and after each deletion, computed backwards by putting the edges back."""
    xors = path_xors(edges, 0)  # a path has XOR 0 if those of its ends are equal
    parts = {v: Counter([xor]) for v, xor in xors.items()}  # identified by one vertex
    part_of = {v: v for v in xors}
    counts = [0]
    for i in reversed(removes):
        u, v, _ = edges[i]
        one, other = parts[part_of[u]], parts.pop(part_of[v])
        counts.append(counts[-1] + sum(one[xor] * count for xor, count in other.items()))
        one += other
        gone = part_of[v]
        part_of = {x: part_of[u] if part == gone else part for x, part in part_of.items()}
    return counts[::-1]
