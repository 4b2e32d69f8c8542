from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.cuts import lightest_partition
from rlve.algorithms.graphs import Edge
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.rewards import INVALID, ratio
from rlve.sampling.graphs import edge_count, random_edges
from rlve.text import lines, spaced

EDGE_DENSITIES = (0.02, 0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95)


class Minimum_CrossingEdges_GraphPartition(Environment[list[int]]):
    """Split the vertices of a graph into K sets with as few edges as possible between them."""

    N: int
    edge_density: float
    K: int
    edges: list[Edge]  # (u, v) with u < v
    gold_answer: int  # the minimum number of edges between sets

    max_difficulty = 20  # finding the minimum takes time and memory that grow as 2 ** N
    unique_up_to = None  # several answers can be right
    guessable = "Three vertices, as at difficulty 0, can be split into two sets in only three ways."
    picture = Graph(answer="classes")

    template = """
        An undirected graph has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (u, v): it joins the vertices u and v.

        {edges}

        Split the vertices into exactly {K} sets, numbered from 0 to {last_set}; each vertex is in
        one set, and no set is empty. Make the number of edges whose two ends are in different sets
        as small as possible. If several ways have the smallest number, any of them is right.

        Output format: one line with {N} integers, separated by spaces: the numbers of the sets
        of the vertices 0 to {last} in this order.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, edges=lines(self.edges), last_set=self.K - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = 3 + d
        return [{"N": N, "edge_density": p} for p in EDGE_DENSITIES if edge_count(N, p) > 0]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_density: float) -> Self:
        K = rng.randint(2, N - 1)
        edges = random_edges(rng, N, edge_count(N, edge_density))
        gold = crossing(edges, lightest_partition(N, edges, K))
        return cls(N=N, edge_density=edge_density, K=K, edges=edges, gold_answer=gold)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N or set(answer) != set(range(self.K)):
            return INVALID
        return ratio(self.gold_answer, crossing(self.edges, answer)) ** 5

    def reference(self) -> str:
        return spaced(lightest_partition(self.N, self.edges, self.K))


def crossing(edges: list[Edge], sets: list[int]) -> int:
    return sum(sets[u] != sets[v] for u, v in edges)
