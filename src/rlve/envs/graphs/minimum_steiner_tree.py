from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import DisjointSets, Edge, WeightedEdge, ordered
from rlve.algorithms.steiner_trees import lightest_steiner_tree
from rlve.answers import integers, pairs
from rlve.foundation.pictures import Graph
from rlve.rewards import INVALID, ratio
from rlve.sampling.graphs import edge_count, random_connected_graph
from rlve.text import lines, spaced

EDGE_DENSITIES = tuple(tenths / 10 for tenths in range(1, 11))


class MinimumSteinerTree(Environment[list[Edge]]):
    """Connect given vertices of a weighted graph by edges of minimum total weight.

    The prompt asks for each edge once, so an answer that repeats one is invalid, in either order of
    its endpoints. The chosen edges may form a cycle.
    """

    N: int
    edge_density: float
    edges: list[WeightedEdge]  # (u, v, w) with u < v
    K: int
    to_be_connected: list[int]
    gold_answer: int  # the minimum total weight

    max_difficulty = 24  # the search for the minimum takes time that grows as 3 ** (N / 2)
    unique_up_to = None  # several answers can be right
    picture = Graph(marked="to_be_connected", answer="edges")

    template = """
        A connected undirected graph has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (u, v, w): it joins the vertices u and v and has weight w.

        {edges}

        These {K} vertices are required: {required}

        Choose edges that form one connected subgraph which contains all required vertices; other
        vertices may be in it too. Make the total weight of the chosen edges as small as possible.
        If several choices have the smallest weight, any of them is right.

        Output format: one line with the endpoints of the chosen edges, separated by spaces:
        u1 v1 u2 v2 ...
        Write each edge once. The edges can be in any order, and either endpoint of an edge can come
        first.
        """

    def prompt(self) -> str:
        return self.fill(
            last=self.N - 1, edges=lines(self.edges), required=spaced(self.to_be_connected)
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = 4 + d
        return [{"N": N, "edge_density": p} for p in EDGE_DENSITIES if edge_count(N, p) > N - 1]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_density: float) -> Self:
        graph = random_connected_graph(rng, N, edge_count(N, edge_density))
        edges = [(u, v, rng.randint(1, N)) for u, v in graph]
        K = rng.randint(3, min(20, N - 1))
        required = rng.sample(range(N), K)
        weights = {(u, v): w for u, v, w in edges}
        return cls(
            N=N,
            edge_density=edge_density,
            edges=edges,
            K=K,
            to_be_connected=required,
            gold_answer=sum(weights[edge] for edge in lightest_steiner_tree(N, edges, required)),
        )

    def parse(self, text: str) -> list[Edge]:
        return pairs(integers(text))

    def score(self, answer: list[Edge]) -> float:
        weights = {(u, v): w for u, v, w in self.edges}
        chosen = {ordered(u, v) for u, v in answer}
        vertices = {v for edge in chosen for v in edge}
        if len(chosen) < len(answer) or not weights.keys() >= chosen:
            return INVALID
        if not vertices.issuperset(self.to_be_connected):
            return INVALID
        parts = DisjointSets(self.N)
        if sum(parts.join(u, v) for u, v in chosen) != len(vertices) - 1:
            return INVALID
        return ratio(self.gold_answer, sum(weights[edge] for edge in chosen)) ** 5

    def reference(self) -> str:
        tree = lightest_steiner_tree(self.N, self.edges, self.to_be_connected)
        return spaced(v for edge in tree for v in edge)
