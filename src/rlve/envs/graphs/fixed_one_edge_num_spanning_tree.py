from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import (
    DisjointSets,
    Edge,
    WeightedEdge,
    is_connected,
    minimum_spanning_tree,
    ordered,
)
from rlve.answers import integers, pairs
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import INVALID, exact
from rlve.sampling.graphs import random_edges, random_recursive_tree
from rlve.sampling.rejection import prefer
from rlve.text import lines, spaced
from rlve.work import Work, join_parts, state

EDGE_RATIOS = tuple(tenths / 10 for tenths in range(10, 31))


class FixedOneEdgeNum_SpanningTree(Environment[list[Edge]]):
    """Find a spanning tree with exactly K edges of weight 1 in a graph with weights 0 and 1.

    A tree is planted; any other is also right. Graphs in which every spanning tree has K such edges
    are redrawn.
    """

    N: int
    edge_ratio: float
    edges: list[WeightedEdge]  # (u, v, w) with u < v
    K: int
    reference_answer: str

    max_difficulty = 45  # at 52, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Graph(answer="edges")

    template = """
        A connected undirected graph has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (u, v, w): it joins the vertices u and v and has weight w.

        {edges}

        Choose exactly {size} of these edges such that they connect all {N} vertices and such that
        the number of chosen edges of weight 1 is exactly {K}.
        At least one choice is possible, and any of them is right.

        Output format: one line with the ends of the chosen edges, separated by spaces:
        u1 v1 u2 v2 ... The edges can be in any order, and either end of an edge can come first.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, size=self.N - 1, edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = grow(4, d)
        fitting = [ratio for ratio in EDGE_RATIOS if int(N * ratio) <= N * (N - 1) // 2]
        return [{"N": N, "edge_ratio": ratio} for ratio in fitting]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_ratio: float) -> Self:
        def draw() -> tuple[list[WeightedEdge], list[WeightedEdge]]:
            planted = random_recursive_tree(rng, N)
            others = random_edges(rng, N, int(edge_ratio * N) - len(planted), besides=planted)
            q = rng.random(), rng.random()
            tree = [(u, v, int(rng.random() < q[0])) for u, v in planted]
            return tree, [(u, v, int(rng.random() < q[1])) for u, v in others]

        tree, others = prefer(draw, until=lambda drawn: has_choice(N, [*drawn[0], *drawn[1]]))
        edges = tree + others
        rng.shuffle(edges)
        return cls(
            N=N,
            edge_ratio=edge_ratio,
            edges=edges,
            K=sum(w for _, _, w in tree),
            reference_answer=spaced(x for u, v, _ in tree for x in (u, v)),
        )

    def parse(self, text: str) -> list[Edge]:
        return pairs(integers(text))

    def score(self, answer: list[Edge]) -> float:
        weights = {(u, v): w for u, v, w in self.edges}
        chosen = [ordered(u, v) for u, v in answer]
        if len(chosen) != self.N - 1 or not weights.keys() >= set(chosen):
            return INVALID
        if not is_connected(self.N, chosen):
            return INVALID
        return exact(sum(weights[edge] for edge in chosen) == self.K)

    def work(self) -> Work[str]:
        zeros = [(u, v) for u, v, w in self.edges if w == 0]
        ones = [(u, v) for u, v, w in self.edges if w == 1]
        yield "First join all you can by weight 0, then the rest by weight 1. Keep the latter: with"
        yield "them, edges of weight 0 can join all the rest, whatever else is chosen."
        parts = DisjointSets(self.N)
        yield from join_parts(parts, zeros)
        needed = yield from join_parts(parts, ones)
        yield state("Keep", (f"{u}-{v}" for u, v in needed))
        yield f"Start again with these, add more of weight 1, up to {self.K} in all, then weight 0."
        parts = DisjointSets(self.N)
        chosen = yield from join_parts(parts, needed)
        others = [edge for edge in ones if edge not in needed]
        more = yield from join_parts(parts, others, most=self.K - len(needed))
        rest = yield from join_parts(parts, zeros)
        tree = [*chosen, *more, *rest]
        yield state("Chosen", (f"{u}-{v}" for u, v in tree))
        return spaced(v for edge in tree for v in edge)


def has_choice(n: int, edges: list[WeightedEdge]) -> bool:
    """Whether two spanning trees differ in weight."""
    lightest = minimum_spanning_tree(n, edges)
    heaviest = minimum_spanning_tree(n, [(u, v, -w) for u, v, w in edges])
    return sum(w for _, _, w in lightest) != -sum(w for _, _, w in heaviest)
