from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge, WeightedEdge, is_connected
from rlve.answers import integers, pairs
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.graphs import arc_count, random_arcs
from rlve.text import grid, spaced

EDGE_DENSITIES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9)


class MinimumDirectedSpanningTree(Environment[list[Edge]]):
    """Reach all vertices of a weighted directed graph from a root at minimum total weight.

    Edges are written without brackets so that the largest prompts are not too long.
    """

    N: int
    edge_density: float
    edges: list[WeightedEdge]  # (s, t, w): from s to t
    root: int
    reference_answer: str
    gold_answer: int  # the minimum total weight

    max_difficulty = 20  # at 21, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Graph(directed=True, marked="root", answer="edges")

    template = """
        A directed graph has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge, written as s t w: it leads from s to t only and has weight w.

        {edges}

        The root is vertex {root}. Choose exactly {size} of these edges such that every vertex can
        be reached from the root along chosen edges; then exactly one chosen edge leads to every
        vertex other than the root, and none to the root. Make the total weight of the chosen edges
        as small as possible. If several choices are best, any of them is right.

        Output format: one line with the ends of the chosen edges, separated by spaces:
        s1 t1 s2 t2 ... The edges can be in any order; of each edge, s comes before t.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, size=self.N - 1, edges=grid(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = grow(4, d)
        dense_enough = [p for p in EDGE_DENSITIES if arc_count(N, p) > N - 1]
        return [{"N": N, "edge_density": p} for p in dense_enough]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_density: float) -> Self:
        m = arc_count(N, edge_density)
        order = rng.sample(range(N), N)
        tree = [(order[rng.randrange(i)], order[i]) for i in range(1, N)]
        arcs = tree + random_arcs(rng, N, max(0, m - len(tree)), besides=tree)
        rng.shuffle(arcs)
        edges = [(s, t, rng.randint(1, max(1, m))) for s, t in arcs]
        best = [edges[i] for i in lightest_tree(N, edges, order[0])]
        return cls(
            N=N,
            edge_density=edge_density,
            edges=edges,
            root=order[0],
            reference_answer=spaced(x for s, t, _ in best for x in (s, t)),
            gold_answer=sum(w for _, _, w in best),
        )

    def parse(self, text: str) -> list[Edge]:
        return pairs(integers(text))

    def score(self, answer: list[Edge]) -> float:
        weights = {(s, t): w for s, t, w in self.edges}
        if len(answer) != self.N - 1 or not weights.keys() >= set(answer):
            return INVALID
        reached = {t for _, t in answer}
        if self.root in reached or len(reached) < self.N - 1 or not is_connected(self.N, answer):
            return INVALID
        return ratio(self.gold_answer, sum(weights[edge] for edge in answer)) ** 5


def lightest_tree(n: int, arcs: list[WeightedEdge], root: int) -> list[int]:
    """The positions of the arcs of least total weight by which the root reaches all vertices.

    Chu and Liu, Edmonds: every vertex but the root takes the lightest arc that leads to it. If
    these arcs close cycles, each cycle becomes one vertex, and an arc into it costs the difference
    from the arc it replaces.
    """
    lightest: dict[int, int] = {}  # by the vertex the arc leads to
    for i, (s, t, w) in enumerate(arcs):
        if t not in (s, root) and (t not in lightest or w < arcs[lightest[t]][2]):
            lightest[t] = i
    part = contracted(n, {t: arcs[i][0] for t, i in lightest.items()})
    count = max(part) + 1
    if count == n:
        return list(lightest.values())
    replaced = [arcs[lightest[t]][2] if t in lightest else 0 for t in range(n)]
    between = [i for i, (s, t, _) in enumerate(arcs) if part[s] != part[t]]
    fewer = [(part[s], part[t], w - replaced[t]) for s, t, w in (arcs[i] for i in between)]
    kept = [between[i] for i in lightest_tree(count, fewer, part[root])]
    entered = {arcs[i][1] for i in kept}
    return kept + [i for t, i in lightest.items() if t not in entered]


def contracted(n: int, before: dict[int, int]) -> list[int]:
    """The number of each vertex once every cycle of predecessors has become one vertex."""
    part = [-1] * n
    count = 0
    start_of: dict[int, int] = {}  # the start of the walk that first met each vertex
    for start in range(n):
        at = start
        while at in before and at not in start_of:
            start_of[at] = start
            at = before[at]
        if start_of.get(at) == start and part[at] < 0:  # the walk has closed a cycle
            while part[at] < 0:
                part[at] = count
                at = before[at]
            count += 1
    for v in range(n):
        if part[v] < 0:
            part[v] = count
            count += 1
    return part
