from collections.abc import Iterator
from random import Random
from typing import Literal, Self, TypeAlias

from rlve import Environment, Level
from rlve.algorithms.graphs import Edge, ordered
from rlve.algorithms.trees import RootedTree, longest_path
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.sampling.trees import random_tree
from rlve.text import lines, spaced
from rlve.work import Work, find_longest_path

Goal: TypeAlias = Literal["minimize", "maximize"]
EdgeChange: TypeAlias = tuple[int, int, int, int]
"""The ends of the edge that is removed, and those of the edge that is added."""


class TreeChangeOneEdgeDiameter(Environment[list[int]]):
    """Replace one edge of a tree to make its diameter as small, or as large, as possible.

    Trees that are already best are redrawn.
    """

    N: int
    edges: list[Edge]  # (u, v) with 1 <= u < v
    minimize_or_maximize: Goal
    gold_answer: int  # the best diameter
    reference_answer: str

    max_difficulty = 300  # at 380, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Graph(first=1, answer="edges")

    template = """
        A tree has {N} vertices, numbered from 1 to {N}. Its edges (u, v) are:

        {edges}

        Remove one of these edges, (u1, v1), and add an edge (u2, v2) between two different vertices
        such that the result is a tree again. The added edge may be the one that was removed.

        The diameter of a tree is the number of edges on a longest path between two vertices. Make
        the diameter of the resulting tree as {goal} as possible. Any best change is accepted.

        Output format: one line with u1 v1 u2 v2, separated by spaces. Of each edge, either end can
        come first.
        """

    def prompt(self) -> str:
        goal = "small" if self.minimize_or_maximize == "minimize" else "large"
        return self.fill(edges=lines(self.edges), goal=goal)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 4 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        goals: tuple[Goal, Goal] = ("minimize", "maximize")
        goal = rng.choice(goals)

        def draw() -> Self:
            edges = random_tree(rng, N, first=1)
            gold, change = best_change(edges, goal)
            return cls(
                N=N,
                edges=edges,
                minimize_or_maximize=goal,
                gold_answer=gold,
                reference_answer=spaced(change),
            )

        return prefer(draw, until=lambda p: len(longest_path(p.edges, 1)) - 1 != p.gold_answer)

    def parse(self, text: str) -> list[int]:
        return integers(text, count=4)

    def score(self, answer: list[int]) -> float:
        removed, added = ordered(*answer[:2]), ordered(*answer[2:])
        if removed not in self.edges or not 1 <= added[0] < added[1] <= self.N:
            return INVALID
        edges = [edge for edge in self.edges if edge != removed]
        if added in edges:
            return INVALID
        edges.append(added)
        if len(RootedTree(edges, 1).order) != self.N:
            return INVALID
        diameter = len(longest_path(edges, 1)) - 1
        if self.minimize_or_maximize == "minimize":
            return ratio(self.gold_answer, diameter) ** 5
        return ratio(diameter, self.gold_answer) ** 5

    def work(self) -> Work[str]:
        smaller = self.minimize_or_maximize == "minimize"
        yield "Without an edge there are two parts. Find a longest path in each: from any"
        yield "vertex to a farthest one, and from there to a farthest."
        if smaller:
            yield "Join their middles: any vertex is at least half the path away from one end of"
            yield "it. A longest path is then one of these, or half of each, rounded up, with the"
            yield "new edge between."
        else:
            yield "Join their ends: no path across can have more of either part."
        found: list[tuple[int, EdgeChange]] = []
        for u, v in self.edges:
            yield f"Without {u}-{v}:"
            rest = [edge for edge in self.edges if edge != (u, v)]
            one = yield from find_longest_path(rest, u)
            other = yield from find_longest_path(rest, v)
            a, b = len(one) - 1, len(other) - 1
            if smaller:
                x, y = one[len(one) // 2], other[len(other) // 2]
                across = f"{len(one) // 2} + 1 + {len(other) // 2}"
                diameter = max(a, b, len(one) // 2 + 1 + len(other) // 2)
                yield f"Join {x}-{y}: max({a}, {b}, {across}) = {diameter}"
            else:
                x, y, diameter = one[-1], other[-1], a + 1 + b
                yield f"Join {x}-{y}: {a} + 1 + {b} = {diameter}"
            found.append((diameter, (u, v, x, y)))
        diameter, (u, v, x, y) = min(found) if smaller else max(found)
        ties = sum(size == diameter for size, _ in found) > 1
        which = "least" if smaller else "greatest"
        chosen = f" (any will do, here the {which} u1, then v1)" if ties else ""
        yield f"Best {diameter}{chosen}: remove {u}-{v}, add {x}-{y}"
        return spaced((u, v, x, y))


def best_change(edges: list[Edge], goal: Goal) -> tuple[int, EdgeChange]:
    """The best diameter and a change that gives it."""
    return min(changes(edges, goal)) if goal == "minimize" else max(changes(edges, goal))


def changes(edges: list[Edge], goal: Goal) -> Iterator[tuple[int, EdgeChange]]:
    """For each edge, the best way to join the parts without it, and the resulting diameter.

    Joining their centres makes it smallest; joining ends of their longest paths, largest.
    """
    for u, v in edges:
        rest = [edge for edge in edges if edge != (u, v)]
        one, other = longest_path(rest, u), longest_path(rest, v)
        if goal == "minimize":
            across = len(one) // 2 + len(other) // 2 + 1
            diameter = max(len(one) - 1, len(other) - 1, across)
            yield diameter, (u, v, one[len(one) // 2], other[len(other) // 2])
        else:
            yield len(one) + len(other) - 1, (u, v, one[-1], other[-1])
