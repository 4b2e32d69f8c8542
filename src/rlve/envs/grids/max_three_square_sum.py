from itertools import accumulate
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.grids import prefix_sums
from rlve.answers import integer
from rlve.foundation.pictures import Grid
from rlve.levels import grow
from rlve.rewards import exact
from rlve.text import grid


class MaxThreeSquareSum(Environment[int]):
    """Find the largest sum of three disjoint K x K squares in a matrix."""

    MAX_N_M: int
    N: int
    M: int
    K: int
    A: list[list[int]]
    reference_answer: int

    max_difficulty = 25  # at 30, a prompt exceeds 32,000 characters
    picture = Grid("A")

    template = """
        A matrix has {N} rows and {M} columns:

        {A}

        Choose three squares in it, each of {K} consecutive rows and {K} consecutive columns, such
        that no two of them share a cell. Find the largest possible sum of all entries in the three
        squares.

        Output format: one integer, the largest sum.
        """

    def prompt(self) -> str:
        return self.fill(A=grid(self.A))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": grow(4, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        N, M = rng.randint(4, MAX_N_M), rng.randint(4, MAX_N_M)
        K = rng.randint(2, min(N, M) // 2)
        A = [[rng.randint(0, MAX_N_M) for _ in range(M)] for _ in range(N)]
        return cls(MAX_N_M=MAX_N_M, N=N, M=M, K=K, A=A, reference_answer=best_three_squares(A, K))

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)


def best_three_squares(A: list[list[int]], K: int) -> int:
    """A straight cut can always separate one of three disjoint squares from the other two.

    A second cut, through the part with two squares, runs parallel to the first or across it, so
    turning the matrix of square sums covers all cases.
    """
    best = 0
    sums = square_sums(A, K)
    for _ in range(4):
        best = max(best, one_above_two(sums, K), three_in_strips(sums, K))
        sums = [list(column) for column in zip(*sums, strict=True)][::-1]
    return best


def square_sums(A: list[list[int]], K: int) -> list[list[int]]:
    """The sum of each K x K square, at the position of its top left cell."""
    P = prefix_sums(A)
    return [
        [P[i + K][j + K] - P[i][j + K] - P[i + K][j] + P[i][j] for j in range(len(A[0]) - K + 1)]
        for i in range(len(A) - K + 1)
    ]


def three_in_strips(sums: list[list[int]], K: int) -> int:
    """The best squares one below the other, or 0 if there is no room for that."""
    rows = [max(row) for row in sums]
    above = list(accumulate(rows, max))
    below = list(accumulate(rows[::-1], max))[::-1]
    middle = range(K, len(rows) - K)
    return max((above[i - K] + rows[i] + below[i + K] for i in middle), default=0)


def one_above_two(sums: list[list[int]], K: int) -> int:
    """The best square above a cut, and the best two side by side below it."""
    above = list(accumulate(map(max, sums), max))
    columns = [0] * len(sums[0])  # the best squares below the cut
    best = 0
    for i in range(len(sums) - 1, K - 1, -1):
        columns = list(map(max, columns, sums[i]))
        left = accumulate(columns, max)
        right = list(accumulate(columns[::-1], max))[::-1]
        best = max(best, above[i - K] + max(map(int.__add__, left, right[K:])))
    return best
