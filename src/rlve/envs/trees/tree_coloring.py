from itertools import combinations
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import WeightedEdge
from rlve.algorithms.trees import RootedTree
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.sampling.trees import random_weighted_tree
from rlve.text import lines, spaced
from rlve.work import Work


class TreeColoring(Environment[list[int]]):
    """Colour vertices of a tree so that those of the same kind are far from each other.

    A problem solved by one of three random choices is redrawn.
    """

    N: int
    K: int
    edges: list[WeightedEdge]  # (u, v, w) with u < v
    reference_answer: str
    reference_answer_distance: int  # the largest total

    max_difficulty = 1_000  # the highest difficulty measured
    unique_up_to = None  # several answers can be right
    picture = Graph(answer="vertices")

    template = """
        A tree has {N} vertices, numbered from 0 to {last}.
        Each line below is one edge (u, v, w): it joins the vertices u and v and has length w.

        {edges}

        Colour exactly {K} of the vertices; the other {rest} stay uncoloured. The distance between
        two vertices is the total length of the edges on the path between them.

        Make the following total as large as possible: the sum of the distances of all unordered
        pairs of coloured vertices, plus the sum of the distances of all unordered pairs of
        uncoloured vertices. Any best choice is accepted.

        Output format: one line with the coloured vertices in any order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, rest=self.N - self.K, edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            K = rng.randint(1, N - 1)
            edges = random_weighted_tree(rng, N, 1, N)
            gold, bits = best_colouring(edges, K)
            return cls(
                N=N,
                K=K,
                edges=edges,
                reference_answer=spaced(v for v in range(N) if bits >> v & 1),
                reference_answer_distance=gold,
            )

        def is_hard_to_guess(problem: Self) -> bool:
            return all(problem.score(rng.sample(range(N), problem.K)) < 1 for _ in range(3))

        return prefer(draw, until=is_hard_to_guess)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        coloured = set(answer)
        if len(answer) != self.K or len(coloured) != self.K:
            return INVALID
        if not all(0 <= v < self.N for v in answer):
            return INVALID
        tree = RootedTree(self.edges, 0)
        size = dict.fromkeys(tree.order, 1)
        inside = {v: int(v in coloured) for v in tree.order}
        total = 0
        for v in reversed(tree.order[1:]):
            size[tree.parent[v]] += size[v]
            inside[tree.parent[v]] += inside[v]
            total += tree.length(v) * pairs_across(self.N, self.K, size[v], inside[v])
        return ratio(total, self.reference_answer_distance) ** 2

    def work(self) -> Work[str]:
        yield "All distances, going on from one vertex to the next along the edges:"
        far: dict[int, dict[int, int]] = {}
        for start in range(self.N - 1):
            tree = RootedTree(self.edges, start)
            far[start] = tree.depth
            yield f"From {start}: " + ", ".join(show_distance(tree, v) for v in tree.order[1:])
        yield "Try all choices (coloured | uncoloured); add the distances of pairs on either side:"
        largest, best = -1, list[int]()
        for coloured in combinations(range(self.N), self.K):
            others = [v for v in range(self.N) if v not in coloured]
            pairs = [*combinations(coloured, 2), *combinations(others, 2)]
            terms = [far[u][v] for u, v in pairs]
            total = " + ".join(map(str, terms)) + (f" = {sum(terms)}" if len(terms) > 1 else "")
            better = sum(terms) > largest
            mark = ", best so far" if better else ""
            yield f"{spaced(coloured)} | {spaced(others)}: {total or 0}{mark}"
            if better:
                largest, best = sum(terms), list(coloured)
        yield f"So colour {spaced(best)}"
        return spaced(best)


def show_distance(tree: RootedTree, v: int) -> str:
    """How far a vertex is from the root, by way of its parent: `3 at 2 + 5 = 7`."""
    before, length = tree.depth[tree.parent[v]], tree.length(v)
    return f"{v} at {before} + {length} = {tree.depth[v]}" if before else f"{v} at {length}"


def pairs_across(N: int, K: int, size: int, coloured: int) -> int:
    """The pairs of the same kind that an edge separates, with this many vertices on one side."""
    plain = size - coloured
    return coloured * (K - coloured) + plain * (N - K - plain)


def best_colouring(edges: list[WeightedEdge], K: int) -> tuple[int, int]:
    """The largest total, and a set of K vertices that gives it, as bits."""
    N = len(edges) + 1
    tree = RootedTree(edges, 0)
    sizes = tree.sizes()
    # The best below each vertex, including its edge to the parent, by the number coloured.
    best = {v: {0: (0, 0), 1: (0, 1 << v)} for v in tree.order}
    for v in reversed(tree.order):
        for child in tree.children[v]:
            merged: dict[int, tuple[int, int]] = {}
            for i, (total, bits) in best[v].items():
                for j, (gain, others) in best[child].items():
                    value = total + gain, bits | others
                    merged[i + j] = max(value, merged.get(i + j, value))
            best[v] = merged
        if v != tree.root:
            best[v] = {
                k: (total + tree.length(v) * pairs_across(N, K, sizes[v], k), bits)
                for k, (total, bits) in best[v].items()
                if k <= K and sizes[v] - k <= N - K
            }
    return best[tree.root][K]
