from bisect import bisect_left
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.matchings import bipartite_matching
from rlve.answers import integers
from rlve.foundation.pictures import Grid
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.text import grid, spaced

GUESSES = 3


class MinimumUnconflictedGridKMax(Environment[list[int]]):
    """Choose one entry per row, in different columns, with the K-th largest as small as possible.

    Problems that one of a few random answers solves are redrawn.
    """

    MAX_N_M: int
    N: int
    M: int
    K: int
    A: list[list[int]]
    gold_answer: int  # the least K-th largest entry

    max_difficulty = 25  # at 31, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Grid("A", first=1, answer="columns")

    template = """
        The matrix A has {N} rows, numbered from 1 to {N}, and {M} columns, numbered from 1 to {M}:

        {A}

        Choose one column p[i] for each row i, such that no column is chosen twice. Sort the {N}
        chosen entries A[1][p[1]], A[2][p[2]], ..., A[{N}][p[{N}]] from the largest to the smallest;
        equal entries are all kept. Make the entry at position {K} of this order (position 1 is the
        largest) as small as possible. If several choices are best, any of them is right.

        Output format: one line with p[1] p[2] ... p[{N}], separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(A=grid(self.A))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        return prefer(
            lambda: cls.draw(rng, MAX_N_M),
            until=lambda drawn: not any(drawn.is_guessed(rng) for _ in range(GUESSES)),
        )

    @classmethod
    def draw(cls, rng: Random, MAX_N_M: int) -> Self:
        N = rng.randint(3, MAX_N_M)
        M = rng.randint(N, MAX_N_M)
        K = rng.randint(1, N)
        A = [[rng.randint(1, N * M) for _ in range(M)] for _ in range(N)]
        gold = kth_largest(A, K, best_columns(A, K))
        return cls(MAX_N_M=MAX_N_M, N=N, M=M, K=K, A=A, gold_answer=gold)

    def is_guessed(self, rng: Random) -> bool:
        columns = rng.sample(range(self.M), self.N)
        return kth_largest(self.A, self.K, columns) == self.gold_answer

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N or len(set(answer)) < self.N:
            return INVALID
        if not all(1 <= column <= self.M for column in answer):
            return INVALID
        value = kth_largest(self.A, self.K, [column - 1 for column in answer])
        return ratio(self.gold_answer, value) ** 5

    def reference(self) -> str:
        return spaced(column + 1 for column in best_columns(self.A, self.K))


def kth_largest(A: list[list[int]], K: int, columns: list[int]) -> int:
    return sorted(row[column] for row, column in zip(A, columns, strict=True))[-K]


def best_columns(A: list[list[int]], K: int) -> list[int]:
    """The least bound that all but K - 1 rows can meet; those rows take the columns left over."""
    M = len(A[0])
    bounds = sorted({entry for row in A for entry in row})

    def matched(bound: int) -> list[int | None]:
        return bipartite_matching([[j for j in range(M) if row[j] <= bound] for row in A], M)

    def is_enough(bound: int) -> bool:
        return matched(bound).count(None) < K

    columns = matched(bounds[bisect_left(bounds, True, key=is_enough)])
    free = iter(sorted(set(range(M)) - set(columns)))
    return [next(free) if column is None else column for column in columns]
