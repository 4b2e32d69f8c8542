from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge
from rlve.answers import integer
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import exact
from rlve.sampling.rejection import spread
from rlve.sampling.trees import random_tree
from rlve.text import counted, lines, spaced
from rlve.work import Work, add_all, list_neighbours


class MaxTree_KPathCoverage(Environment[int]):
    """Find how many vertices of a tree K paths can cover.

    The answers of a level are about equally likely; on small trees there are few.
    """

    N: int
    edges: list[Edge]  # (u, v) with u < v
    K: int
    reference_answer: int

    max_difficulty = 50  # at 60, a prompt exceeds 32,000 characters
    picture = Graph()

    template = """
        A tree has {N} vertices, numbered from 0 to {last}. Its edges (u, v) are:

        {edges}

        Choose {chosen} of distinct vertices; a vertex can be in several pairs. A pair
        covers all vertices on the path between its two vertices, these two included.

        What is the largest number of vertices that the chosen pairs can cover together? A vertex
        that is covered several times counts once.

        Output format: one integer, the largest number of covered vertices.
        """

    def prompt(self) -> str:
        return self.fill(
            last=self.N - 1, edges=lines(self.edges), chosen=counted(self.K, "unordered pair")
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(4, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            edges = random_tree(rng, N)
            peeled = rounds_of_leaves(edges)
            K = rng.randint(1, max(1, peeled[0] // 2 - 1))
            # K paths have 2K ends, and each end can pass through one vertex of each round.
            gold = sum(min(2 * K, count) for count in peeled)
            return cls(N=N, edges=edges, K=K, reference_answer=gold)

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        near = yield from list_neighbours(range(self.N), self.edges)
        ends = 2 * self.K
        yield "Take off all leaves, round after round. A path goes from outer rounds to inner ones"
        yield "and out again, so it covers at most 2 vertices of a round. All paths cover at most"
        yield f"2 * {self.K} = {ends} of a round. The best reach that, or cover it all: from round"
        yield "2 on, a vertex has a neighbour in the round before, so the tree splits into chains"
        yield f"that go inwards from the leaves, round by round. Join the {ends} longest in pairs."
        left = dict(near)
        covered: list[int] = []
        while left:
            leaves = [v for v in left if sum(u in left for u in near[v]) <= 1]
            left = {v: near[v] for v in left if v not in leaves}
            covered.append(min(len(leaves), ends))
            yield (
                f"Round {len(covered)}: leaves {spaced(leaves)}, "
                f"min({len(leaves)}, {ends}) = {covered[-1]}. Left: {spaced(left) or 'none'}"
            )
        return str((yield from add_all(covered)))


def rounds_of_leaves(edges: list[Edge]) -> list[int]:
    """How many leaves the tree loses in each round when all its leaves are removed."""
    neighbours: dict[int, set[int]] = {}
    for u, v in edges:
        neighbours.setdefault(u, set()).add(v)
        neighbours.setdefault(v, set()).add(u)
    rounds: list[int] = []
    while neighbours:
        leaves = [v for v, others in neighbours.items() if len(others) <= 1]
        for leaf in leaves:
            for other in neighbours.pop(leaf):
                neighbours[other].discard(leaf)
        rounds.append(len(leaves))
    return rounds
