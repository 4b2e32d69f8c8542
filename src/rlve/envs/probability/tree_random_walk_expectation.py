from fractions import Fraction
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.modular import residue
from rlve.answers import integer
from rlve.foundation.pictures import Graph
from rlve.rewards import exact_residue
from rlve.sampling.graphs import random_recursive_tree
from rlve.sampling.rejection import spread
from rlve.text import lines
from rlve.work import Work, add_cases, fraction_mod, multiply_fractions, root_tree, show_sum

PRIME = 998_244_353


class TreeRandomWalkExpectation(Environment[int]):
    """Find the mean time of a random walk between two vertices of a tree, over all pairs.

    At the lowest levels, the few answers are about equally likely.
    """

    N: int
    edges: list[tuple[int, int]]  # u < v
    reference_answer: int

    guessable = "Trees of 3, 4 and 5 vertices have 1, 2 and 3 shapes, and only the shape matters."

    max_difficulty = 1_000  # the highest difficulty measured
    picture = Graph()

    template = """
        A tree has {N} vertices, numbered from 0 to {last}. Its edges (u, v) are:

        {edges}

        A walker on a vertex moves, at each step, to one of the neighbours of that vertex, chosen
        uniformly at random. E(S, T) is the expected number of steps that a walker who starts at S
        takes to reach T for the first time; E(T, T) = 0.

        Let m be the sum of E(S, T) over all {pairs} ordered pairs (S, T) of vertices, those with
        S = T included, divided by {pairs}.
        m is a fraction p/q. Give it modulo the prime {prime}: the integer r with
        0 <= r < {prime} for which q * r and p leave the same remainder when divided by {prime},
        that is, p times the modular inverse of q.

        Output format: one integer, r.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, edges=lines(self.edges), pairs=self.N**2, prime=PRIME)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            edges = random_recursive_tree(rng, N)
            rng.shuffle(edges)
            gold = residue(mean_hitting_time(N, edges), PRIME)
            return cls(N=N, edges=edges, reference_answer=gold)

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, PRIME)

    def work(self) -> Work[str]:
        N, steps = self.N, 2 * self.N - 2
        yield "Let f(v) be the mean number of steps from v to its parent. Before that, each child's"
        yield "edge is taken once on average, as all are alike, for 1 + f(child) steps:"
        yield "f(v) = 1 + the sum of these. So with s vertices from v down, f(v) = 2 * s - 1."
        yield f"Back takes 2 * ({N} - s) - 1, both ways take 2 * {N} - 2 = {steps}."
        yield f"The edge is between s * ({N} - s) pairs of vertices, and they take it both ways."
        tree = yield from root_tree(self.edges, 0)
        sizes = tree.sizes()
        below = [(v, sizes[v], N - sizes[v]) for v in reversed(tree.order[1:])]
        sums = {v: show_sum([1, *(sizes[child] for child in tree.children[v])]) for v in sizes}
        pairs = yield from add_cases(
            (f"Edge above {v}: s = {sums[v]}, {s} * {rest} = {s * rest}", s * rest)
            for v, s, rest in below
        )
        mean = Fraction(pairs, N**2)
        lowest = f"; {pairs}/{N**2} = {mean}" if mean.denominator < N**2 else ""
        yield f"m is {steps} times {pairs}/{N**2}{lowest}"
        mean = yield from multiply_fractions(Fraction(steps), mean)
        if mean.denominator > 1:
            yield f"So m = {mean}"
        r = yield from fraction_mod(*mean.as_integer_ratio(), PRIME)
        yield f"So r = {r}"
        return str(r)


def mean_hitting_time(N: int, edges: list[tuple[int, int]]) -> Fraction:
    """An edge with s vertices on one side is crossed on the way between s * (N - s) pairs.

    Crossing it takes 2s - 1 steps from that side, 2(N - s) - 1 from the other, 2N - 2 together.
    """
    pairs = sum(size * (N - size) for size in subtree_sizes(N, edges))
    return Fraction((2 * N - 2) * pairs, N * N)


def subtree_sizes(N: int, edges: list[tuple[int, int]]) -> list[int]:
    """How many vertices are beyond each edge, seen from vertex 0, and in the whole tree."""
    neighbours: list[list[int]] = [[] for _ in range(N)]
    for u, v in edges:
        neighbours[u].append(v)
        neighbours[v].append(u)
    parent = [-1] * N
    order = [0]
    for u in order:
        for v in neighbours[u]:
            if v != parent[u]:
                parent[v] = u
                order.append(v)
    sizes = [1] * N
    for v in reversed(order[1:]):
        sizes[parent[v]] += sizes[v]
    return sizes
