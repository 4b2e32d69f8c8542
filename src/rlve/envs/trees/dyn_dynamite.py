from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge
from rlve.algorithms.trees import RootedTree, tree_distances
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.sampling.trees import random_tree
from rlve.text import counted, lines, spaced
from rlve.work import Work, root_tree, state


class DynDynamite(Environment[list[int]]):
    """Choose centres in a tree so that every key vertex is as near one as possible.

    A choice with a repeated vertex is invalid, as the prompt asks for distinct ones. A problem
    solved by one of three random choices is redrawn.
    """

    N: int
    edges: list[Edge]  # (u, v) with u < v
    key_vertices: list[int]
    M: int
    gold_answer: int  # the smallest largest distance, at least 1

    max_difficulty = 350  # at 460, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Graph(marked="key_vertices", answer="vertices")

    template = """
        A tree has {N} vertices, numbered from 0 to {last}. Its edges (u, v) are:

        {edges}

        The key vertices are: {keys}

        Choose as centres exactly {count}; a centre need not be a key vertex.
        The distance between two vertices is the number of edges on the path between them.
        Make the largest distance from a key vertex to its nearest centre as small as possible.
        Any best choice is accepted.

        Output format: one line with the chosen vertices in any order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(
            last=self.N - 1,
            edges=lines(self.edges),
            keys=spaced(self.key_vertices),
            count=counted(self.M, "vertex", "distinct vertices"),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            edges = random_tree(rng, N)
            keys = rng.sample(range(N), rng.randint(2, N))
            M = rng.randint(1, len(keys) - 1)
            gold = largest_distance(edges, keys, best_centres(edges, keys, M))
            return cls(N=N, edges=edges, key_vertices=keys, M=M, gold_answer=gold)

        def is_hard_to_guess(problem: Self) -> bool:
            return all(problem.score(rng.sample(range(N), problem.M)) < 1 for _ in range(3))

        return prefer(draw, until=is_hard_to_guess)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if not len(answer) == len(set(answer)) == self.M:
            return INVALID
        if not all(0 <= v < self.N for v in answer):
            return INVALID
        distance = largest_distance(self.edges, self.key_vertices, answer)
        return ratio(self.gold_answer, distance) ** 5

    def reference(self) -> str:
        return spaced(best_centres(self.edges, self.key_vertices, self.M))

    def work(self) -> Work[str]:
        tree = yield from root_tree(self.edges, 0)
        keys = sorted(self.key_vertices, key=lambda v: -tree.depth[v])
        depths = ", ".join(f"{v} (depth {tree.depth[v]})" for v in keys)
        yield f"Key vertices, lowest first: {depths}"
        yield "For a distance r, the lowest key left needs a centre: best c, r edges above it (or"
        yield "the root). Keys left below c are not lower, so at most r from c; all others are"
        yield "nearer to c than to what is below c. The smallest r with few enough centres is best."
        far = tree_distances(self.edges)
        for r in range(self.N):
            centres, left = list[int](), keys
            while left and len(centres) <= self.M:
                path = tree.path(left[0])
                centre = path[max(0, len(path) - 1 - r)]
                centres.append(centre)
                near = [v for v in left if far[v][centre] <= r]
                yield f"r = {r}: {left[0]} gets centre {centre}, near {spaced(near)}"
                left = [v for v in left if v not in near]
            if len(centres) > self.M:
                yield f"These are more than {self.M}"
                continue
            others = [v for v in range(self.N) if v not in centres][: self.M - len(centres)]
            if others:
                yield state("Enough; others to make up the number", others)
            yield state("Centres", [*centres, *others])
            return spaced([*centres, *others])
        raise ValueError("one centre is near all vertices of a tree at some distance")


def largest_distance(edges: list[Edge], keys: list[int], centres: list[int]) -> int:
    """The largest distance from a key vertex to its nearest centre."""
    outside = -1  # joined to all centres
    depth = RootedTree([*edges, *((outside, centre) for centre in centres)], outside).depth
    return max(depth[key] for key in keys) - 1


def best_centres(edges: list[Edge], keys: list[int], M: int) -> list[int]:
    """M distinct centres with the smallest largest distance."""
    tree, far = RootedTree(edges, 0), tree_distances(edges)

    def within(radius: int) -> list[int]:
        """The fewest centres: the lowest key left needs one, best as high above it as possible."""
        centres: list[int] = []
        for key in sorted(keys, key=lambda v: tree.depth[v], reverse=True):
            if all(far[key][centre] > radius for centre in centres):
                path = tree.path(key)
                centres.append(path[max(0, len(path) - 1 - radius)])
        return centres

    centres = next(chosen for r in range(len(tree.order)) if len(chosen := within(r)) <= M)
    others = [v for v in tree.order if v not in centres]
    return centres + others[: M - len(centres)]
