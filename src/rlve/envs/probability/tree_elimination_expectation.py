from fractions import Fraction
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.modular import residue
from rlve.answers import integer
from rlve.foundation.pictures import Graph
from rlve.rewards import exact_residue
from rlve.sampling.rejection import spread
from rlve.text import lines, spaced
from rlve.work import Work, add_fractions, fraction_mod, show_sum

PRIME = 1_000_000_007


class TreeElimination_Expectation(Environment[int]):
    """Find the expected number of steps until random paths to the root have coloured a tree.

    At the lowest levels, the few answers are about equally likely.
    """

    N: int
    parents: list[tuple[int, int]]  # (parent, child), each vertex a child before it is a parent
    reference_answer: int

    guessable = "There are only two trees of three vertices, so difficulty 0 has two answers."

    max_difficulty = 1_000  # the highest difficulty measured
    picture = Graph("parents", first=1)

    template = """
        A rooted tree has {N} vertices, numbered from 1 to {N}. Vertex 1 is the root. Here is the
        parent of every other vertex:

        {parents}

        At first no vertex is coloured. At each step, one of the vertices that are not coloured is
        chosen uniformly at random, and all vertices on the path from it to the root are coloured,
        itself and the root included. This ends when all vertices are coloured.

        What is the expected number of steps?
        It is a fraction p/q. Give it modulo the prime {prime}: the integer r with
        0 <= r < {prime} for which q * r and p leave the same remainder when divided by {prime},
        that is, p times the modular inverse of q.

        Output format: one integer, r.
        """

    def prompt(self) -> str:
        pairs = sorted((child, parent) for parent, child in self.parents)
        return self.fill(parents=lines(f"parent[{u}]={p}" for u, p in pairs), prime=PRIME)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            order = [1, *rng.sample(range(2, N + 1), N - 1)]
            parents = [(order[rng.randrange(i)], order[i]) for i in range(1, N)]
            gold = residue(expected_steps(parents), PRIME)
            return cls(N=N, parents=parents, reference_answer=gold)

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, PRIME)

    def work(self) -> Work[str]:
        yield "Put all vertices in a random order, and skip those that are coloured when it is"
        yield "their turn. A vertex is skipped exactly if one below it came earlier. So it is"
        yield "chosen exactly if it is the first of its subtree: with probability 1 / size. Add"
        yield "these up."
        sizes = [1] * (self.N + 1)
        children: list[list[int]] = [[] for _ in sizes]
        for parent, child in reversed(self.parents):
            sizes[parent] += sizes[child]
            children[parent].append(child)
        leaves = [v for v in range(2, self.N + 1) if not children[v]]
        yield f"Subtrees of size 1: {spaced(leaves)}"
        yield "Other sizes: 1 for the vertex itself, then those of its children."
        for v in [child for _, child in reversed(self.parents) if children[child]] + [1]:
            below = sorted(children[v])
            shown = show_sum([1, *(sizes[child] for child in below)])
            yield f"Size of {v}, parent of {spaced(below)}: {shown}"
        total = Fraction(len(leaves))
        yield f"Those of size 1 give {total}"
        for size in sorted(size for size in sizes[1:] if size > 1):
            total = yield from add_fractions(total, Fraction(1, size))
        yield f"So the expected number is {total}"
        r = yield from fraction_mod(*total.as_integer_ratio(), PRIME)
        yield f"So r = {r}"
        return str(r)


def expected_steps(parents: list[tuple[int, int]]) -> Fraction:
    """In a random order of all vertices, the chosen ones come first in their subtrees."""
    sizes = [1] * (len(parents) + 2)
    for parent, child in reversed(parents):
        sizes[parent] += sizes[child]
    return sum((Fraction(1, size) for size in sizes[1:]), Fraction(0))
