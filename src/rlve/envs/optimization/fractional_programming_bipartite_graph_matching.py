from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import is_permutation
from rlve.algorithms.assignment import lightest_assignment
from rlve.algorithms.optimization import highest_ratio
from rlve.answers import integers
from rlve.foundation.pictures import Grid
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import grid, spaced


class FractionalProgramming_BipartiteGraphMatching(Environment[list[int]]):
    """Choose one entry in each row and column so that the ratio of two sums is largest."""

    N: int
    B: list[list[int]]
    A: list[list[int]]
    reference_answer: str
    gold_SumA: int
    gold_SumB: int

    max_difficulty = 20  # at 25, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = (Grid("A", answer="columns"), Grid("B", answer="columns"))

    template = """
        Two matrices A and B have {N} rows and {N} columns each, both numbered from 0 to {last}.

        A:
        {A}

        B:
        {B}

        Let A[i][j] and B[i][j] be the entries in row i and column j. Find a permutation P[0]
        to P[{last}] of the integers 0 to {last} such that
        (the sum of A[i][P[i]] over all rows i) / (the sum of B[i][P[i]] over all rows i)
        is as large as possible. If several permutations have the largest ratio, any of them is
        right.

        Output format: one line with P[0] to P[{last}] in this order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, A=grid(self.A), B=grid(self.B))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        B = [[rng.randint(1, N) for _ in range(N)] for _ in range(N)]
        A = [[rng.randint(1, 2 * b) for b in row] for row in B]
        best = best_permutation(A, B)
        gold_a, gold_b = sums(A, B, best)
        return cls(N=N, B=B, A=A, reference_answer=spaced(best), gold_SumA=gold_a, gold_SumB=gold_b)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if not is_permutation(answer, self.N):
            return INVALID
        a, b = sums(self.A, self.B, answer)
        return ratio(a * self.gold_SumB, b * self.gold_SumA) ** 5


def sums(A: list[list[int]], B: list[list[int]], P: list[int]) -> tuple[int, int]:
    return sum(A[i][j] for i, j in enumerate(P)), sum(B[i][j] for i, j in enumerate(P))


def best_permutation(A: list[list[int]], B: list[list[int]]) -> list[int]:
    def heaviest(p: int, q: int) -> list[int]:
        rows = zip(A, B, strict=True)
        costs = [[p * b - q * a for a, b in zip(*row, strict=True)] for row in rows]
        return lightest_assignment(costs) or []  # there is one: no pair is forbidden

    return highest_ratio(heaviest, lambda P: sums(A, B, P))
