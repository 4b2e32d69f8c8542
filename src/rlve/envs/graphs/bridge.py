from itertools import pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import DisjointSets, Edge, bridges, ordered, undirected
from rlve.algorithms.trees import RootedTree
from rlve.answers import integers, pairs
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.graphs import edge_count
from rlve.sampling.rejection import prefer, redraw
from rlve.text import lines, spaced
from rlve.work import Work, join_parts, state

PERCENTAGES = (2, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 60, 70, 80, 90)
EDGE_DENSITIES = tuple(percentage / 100 for percentage in PERCENTAGES)
BLOCK_SHARES = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8)


class Bridge(Environment[list[Edge]]):
    """List all edges of an undirected graph whose removal disconnects their ends.

    Graphs in which every edge is a bridge are redrawn, except at the lowest densities, which have
    no others.
    """

    N: int
    edge_density: float
    component_num: int  # blocks of vertices, joined only by bridges
    edges: list[Edge]  # (u, v) with u < v
    bridges: list[Edge]
    reference_answer: str

    guessable = (
        "At the lowest densities every edge is a bridge: listing all of them is right in 80% of "
        "the problems at d = 0 and in 40% at d = 3."
    )

    max_difficulty = 30  # at 40, a prompt exceeds 32,000 characters
    unique_up_to = undirected
    picture = Graph(answer="edges")

    template = """
        An undirected graph has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (u, v): it joins the vertices u and v.

        {edges}

        An edge is a bridge if no path connects its two ends any more once this edge is removed.
        List all bridges of the graph, each of them once. There is at least one.

        Output format: one line with the ends of the bridges, separated by spaces: u1 v1 u2 v2 ...
        The bridges can be in any order, and either end of a bridge can come first.
        For example, 8 5 2 9 stands for the bridges (8, 5) and (2, 9).
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = grow(4, d)
        blocks = sorted({int(share * N) for share in BLOCK_SHARES} - {0, 1})
        return [
            {"N": N, "edge_density": p, "component_num": count}
            for p in EDGE_DENSITIES
            for count in blocks
        ]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_density: float, component_num: int) -> Self:
        m = edge_count(N, edge_density)
        edges, bridge_edges = prefer(
            lambda: graph_with_bridges(rng, N, m, component_num),
            until=lambda drawn: len(drawn[1]) < len(drawn[0]),
        )
        return cls(
            N=N,
            edge_density=edge_density,
            component_num=component_num,
            edges=edges,
            bridges=bridge_edges,
            reference_answer=spaced(x for edge in bridge_edges for x in edge),
        )

    def parse(self, text: str) -> list[Edge]:
        return pairs(integers(text))

    def score(self, answer: list[Edge]) -> float:
        listed = undirected(answer)
        if len(listed) < len(answer) or not listed <= set(self.bridges):
            return INVALID
        return ratio(len(listed), len(self.bridges)) ** 5

    def work(self) -> Work[str]:
        yield "The bridges are the edges that are on no cycle. First join the vertices by edges."
        tree = yield from join_parts(DisjointSets(self.N), self.edges)
        if len(tree) < len(self.edges):
            yield state("Each other edge closes a cycle with some of these", map(show_edge, tree))
            yield "One on no such cycle is a bridge: without it, no other edge joins the two parts."
        else:
            yield "No edge is left, so there is no cycle."
        bridges = dict.fromkeys(tree)
        for u, v in self.edges:
            if (u, v) not in tree:
                cycle = RootedTree(tree, u).path(v)
                for a, b in pairwise(cycle):
                    bridges.pop(ordered(a, b), None)
                left = state("On no cycle so far", map(show_edge, bridges))
                yield f"{u}-{v} closes {spaced([*cycle, u])}. {left}"
        yield state("Bridges", map(show_edge, bridges))
        return spaced(v for edge in bridges for v in edge)


def show_edge(edge: Edge) -> str:
    return f"{edge[0]}-{edge[1]}"


def graph_with_bridges(rng: Random, n: int, m: int, count: int) -> tuple[list[Edge], list[Edge]]:
    """A graph of about m edges and its bridges: blocks in a row, with one edge to the next."""

    def blocks() -> list[list[int]]:
        members: list[list[int]] = [[] for _ in range(count)]
        for v in range(n):
            members[rng.randrange(count)].append(v)
        return [block for block in members if block]

    joined: list[int] = []
    edges: list[Edge] = []
    inner: list[Edge] = []
    for block in redraw(blocks, until=lambda drawn: len(drawn) > 1):
        if joined:
            edges.append(ordered(rng.choice(joined), rng.choice(block)))
        inner += [(u, v) for u in block for v in block if u < v]
        joined += block
    edges += rng.sample(inner, min(len(inner), max(0, m - len(edges))))
    rng.shuffle(edges)
    return edges, bridges(n, edges)
