from itertools import pairwise, permutations
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import is_permutation
from rlve.algorithms.graphs import Edge, ordered
from rlve.algorithms.trees import tree_distances
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.text import lines, spaced
from rlve.work import Work, list_neighbours, search


class MultiDrink(Environment[list[int]]):
    """Order the vertices of a tree so that consecutive ones are at most two edges apart.

    Stars, for which every order is right, are redrawn.
    """

    N: int
    edges: list[Edge]  # (u, v) with u < v
    reference_answer: str

    guessable = "Half of the orders of a path of four vertices (difficulty 0) are right."

    max_difficulty = 100  # at 135, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Graph(answer="order")

    template = """
        A tree has {N} vertices, numbered from 0 to {last}. Its edges (u, v) are:

        {edges}

        Find an order of all {N} vertices in which the path between any two consecutive vertices has
        at most two edges. There is such an order, and any one is accepted.

        Output format: one line with the {N} vertices in that order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 4 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def is_a_star(edges: list[Edge]) -> bool:
            return any(all(v in edge for edge in edges) for v in edges[0])

        edges, order = prefer(lambda: planted_order(rng, N), until=lambda p: not is_a_star(p[0]))
        return cls(N=N, edges=edges, reference_answer=spaced(order))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if not is_permutation(answer, self.N):
            return INVALID
        neighbours: list[set[int]] = [set() for _ in range(self.N)]
        for u, v in self.edges:
            neighbours[u].add(v)
            neighbours[v].add(u)
        near = sum(
            v in neighbours[u] or not neighbours[u].isdisjoint(neighbours[v])
            for u, v in pairwise(answer)
        )
        return ratio(near, self.N - 1) ** 5

    def work(self) -> Work[str | None]:
        yield from list_neighbours(range(self.N), self.edges)
        far = tree_distances(self.edges)
        near = {u: [v for v in far if 0 < far[u][v] <= 2] for u in far}
        rows = "; ".join(f"{u} has {spaced(others)}" for u, others in near.items())
        yield f"At most two edges away: {rows}"
        yield "Try to extend the order, and go back where nothing is left:"
        order = yield from search(
            lambda order: [v for v in near[order[-1]] if v not in order] if order else near,
            lambda order, v: None,
            lambda order: len(order) == self.N,
        )
        return spaced(order) if order else None


def planted_order(rng: Random, N: int) -> tuple[list[Edge], list[int]]:
    """A tree with such an order, made by joining shorter orders and the trees they belong to."""
    neighbours: list[list[int]] = [[] for _ in range(N)]
    orders = [[v] for v in range(N)]
    while len(orders) > 1:
        choices = list(permutations(orders, 2))
        first, second = rng.choices(choices, [len(a) * len(b) for a, b in choices])[0]
        last, next_one = first[-1], second[0]
        if rng.random() < 0.5:
            u, v = last, rng.choice([next_one, *neighbours[next_one]])
        else:
            u, v = next_one, rng.choice([last, *neighbours[last]])
        neighbours[u].append(v)
        neighbours[v].append(u)
        orders.remove(first)
        orders.remove(second)
        orders.append(first + second)
    edges = [ordered(u, v) for u in range(N) for v in neighbours[u] if u < v]
    rng.shuffle(edges)
    return edges, orders[0]
