from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.depth_weighted_trees import cheapest_depth_weighted_tree
from rlve.algorithms.graphs import WeightedEdge, is_connected, neighbour_lists, ordered
from rlve.answers import integers, pairs
from rlve.errors import Unparseable
from rlve.foundation.pictures import Graph
from rlve.rewards import INVALID, ratio
from rlve.sampling.graphs import edge_count, random_connected_graph
from rlve.text import lines, spaced

EDGE_DENSITIES = tuple(tenths / 10 for tenths in range(1, 11))


class MinimumWeightedSpanningTree(Environment[list[int]]):
    """Choose a root and a spanning tree to minimise the sum of edge weight times depth."""

    N: int
    edge_density: float
    edges: list[WeightedEdge]  # (u, v, w) with u < v
    gold_answer: int  # the minimum cost

    max_difficulty = 24  # the search for the minimum takes exponential time
    unique_up_to = None  # several answers can be right
    picture = Graph()

    template = """
        A connected undirected graph has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (u, v, w): it joins the vertices u and v and has weight w.

        {edges}

        Choose a spanning tree, exactly {size} of these edges that connect all {N} vertices, and one
        vertex as its root. Each edge of the tree costs its weight times its depth. Edges at the
        root have depth 1, the next ones away from the root have depth 2, and so on.
        Make the total cost as small as possible. If several choices are best, any of them is right.

        Output format: one line with the root and then the endpoints of the chosen edges,
        separated by spaces: root u1 v1 u2 v2 ...
        The edges can be in any order, and either endpoint of an edge can come first.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, size=self.N - 1, edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = 3 + d
        return [{"N": N, "edge_density": p} for p in EDGE_DENSITIES if edge_count(N, p) > N - 1]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_density: float) -> Self:
        graph = random_connected_graph(rng, N, edge_count(N, edge_density))
        edges = [(u, v, rng.randint(0, N)) for u, v in graph]
        gold = cheapest_depth_weighted_tree(N, edges).cost
        return cls(N=N, edge_density=edge_density, edges=edges, gold_answer=gold)

    def parse(self, text: str) -> list[int]:
        values = integers(text)
        if not values:
            raise Unparseable("there is no root")
        if len(values) % 2 == 0 and 0 <= values[0] < self.N:
            raise Unparseable("an odd number of endpoints")
        return values

    def score(self, answer: list[int]) -> float:
        root = answer[0]
        if not 0 <= root < self.N or len(answer) != 2 * self.N - 1:
            return INVALID
        weights = {(u, v): w for u, v, w in self.edges}
        tree = [ordered(u, v) for u, v in pairs(answer[1:])]
        if not weights.keys() >= set(tree) or not is_connected(self.N, tree):
            return INVALID
        return ratio(self.gold_answer, cost(root, tree, weights)) ** 5

    def reference(self) -> str:
        tree = cheapest_depth_weighted_tree(self.N, self.edges)
        return spaced([tree.root, *(v for edge in tree.edges for v in edge)])


def cost(root: int, tree: list[tuple[int, int]], weights: dict[tuple[int, int], int]) -> int:
    """The sum of weight times depth over the edges of a spanning tree."""
    neighbours = neighbour_lists(len(tree) + 1, tree)
    depth = {root: 0}
    total = 0
    waiting = [root]
    while waiting:
        s = waiting.pop()
        for t in neighbours[s]:
            if t not in depth:
                depth[t] = depth[s] + 1
                total += depth[t] * weights[ordered(s, t)]
                waiting.append(t)
    return total
