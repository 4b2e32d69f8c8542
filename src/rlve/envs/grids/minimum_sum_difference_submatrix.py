from itertools import combinations, islice, pairwise
from math import comb, inf
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer_rows
from rlve.errors import Unparseable
from rlve.foundation.pictures import Grid
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import redraw
from rlve.text import grid

MOST_SUBSETS = 20_000
BATCH = 500


class MinimumSumDifferenceSubmatrix(Environment[tuple[list[int], list[int]]]):
    """Choose rows and columns so that neighbouring entries at their crossings differ least.

    Sizes with more than 20,000 choices of rows and more than 20,000 of columns are redrawn: there
    are none below difficulty 13, and 3% at difficulty 20.
    """

    MAX_N_M: int
    N: int
    M: int
    R: int  # rows to choose
    C: int  # columns to choose
    matrix: list[list[int]]
    gold_answer: int  # the least score

    max_difficulty = 50  # at 67, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Grid("matrix")

    template = """
        A matrix has {N} rows, numbered from 0 to {last_row}, and {M} columns, numbered from 0 to
        {last_column}:

        {matrix}

        Choose {R} of the rows and {C} of the columns. The entries at their crossings form, in the
        order of the original matrix, a new matrix with {R} rows and {C} columns. Its score is the
        sum of the absolute differences |x - y| over all pairs of entries x and y that are next to
        each other in the new matrix, horizontally or vertically. Make the score as small as
        possible.
        If several choices are best, any of them is right.

        Output format: two lines, with values separated by spaces: first the numbers of the {R}
        chosen rows in increasing order, then those of the {C} chosen columns in increasing order.
        """

    def prompt(self) -> str:
        return self.fill(last_row=self.N - 1, last_column=self.M - 1, matrix=grid(self.matrix))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": d + 4}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        def sizes() -> tuple[int, int, int, int]:
            N, M = rng.randint(3, MAX_N_M), rng.randint(3, MAX_N_M)
            return N, M, rng.randint(2, N - 1), rng.randint(2, M - 1)

        N, M, R, C = redraw(
            sizes, until=lambda s: min(comb(s[0], s[2]), comb(s[1], s[3])) <= MOST_SUBSETS
        )
        matrix = [[rng.randint(1, N * M) for _ in range(M)] for _ in range(N)]
        return cls(
            MAX_N_M=MAX_N_M,
            N=N,
            M=M,
            R=R,
            C=C,
            matrix=matrix,
            gold_answer=difference_sum(matrix, *best_choice(matrix, R, C)),
        )

    def parse(self, text: str) -> tuple[list[int], list[int]]:
        rows = integer_rows(text)
        if [len(row) for row in rows] != [self.R, self.C]:
            raise Unparseable(f"not a line of {self.R} and a line of {self.C} integers")
        return rows[0], rows[1]

    def score(self, answer: tuple[list[int], list[int]]) -> float:
        for chosen, size in zip(answer, (self.N, self.M), strict=True):
            if not all(0 <= index < size for index in chosen):
                return INVALID
            if any(x >= y for x, y in pairwise(chosen)):
                return INVALID
        return ratio(self.gold_answer, difference_sum(self.matrix, *answer)) ** 5

    def reference(self) -> str:
        return grid(best_choice(self.matrix, self.R, self.C))


def difference_sum(matrix: list[list[int]], rows: list[int], columns: list[int]) -> int:
    chosen = [[matrix[i][j] for j in columns] for i in rows]
    return sum(
        abs(x - y) for line in (*chosen, *zip(*chosen, strict=True)) for x, y in pairwise(line)
    )


def best_choice(matrix: list[list[int]], R: int, C: int) -> tuple[list[int], list[int]]:
    """The rows and columns of the least score."""
    if comb(len(matrix[0]), C) < comb(len(matrix), R):
        columns, rows = best_choice([list(line) for line in zip(*matrix, strict=True)], C, R)
        return rows, columns
    rows = best_rows(matrix, R, C)
    return rows, best_columns([matrix[i] for i in rows], C)


def best_rows(matrix: list[list[int]], R: int, C: int) -> list[int]:
    """The rows that allow the least score: all choices are tried, many at a time.

    The differences within columns alone give each choice a bound. Choices are tried in order of
    their bounds, until these are no better than the best score.
    """
    import numpy as np

    A = np.array(matrix, dtype=np.float64)  # exact: no sum here comes near 2^53
    N, M = A.shape
    between_rows = np.abs(A[:, None, :] - A[None, :, :])
    between_columns = np.abs(A.T[:, None, :] - A.T[None, :, :]).reshape(M * M, N)
    best, rows = inf, list[int]()
    backwards = np.where(np.tri(M, dtype=bool), inf, 0)[:, :, None]
    spare = M - C + 1  # the column chosen after k others is one of the columns from k on
    untried = combinations(range(N), R)
    while drawn := list(islice(untried, MOST_SUBSETS)):
        choices = np.array(drawn)
        down = between_rows[choices[:, 0], choices[:, 1]]
        for k in range(1, R - 1):
            down += between_rows[choices[:, k], choices[:, k + 1]]
        bounds = np.sort(down, axis=1)[:, :C].sum(axis=1)
        order = np.argsort(bounds, kind="stable")
        for first in range(0, len(order), BATCH):
            batch = order[first : first + BATCH]
            if bounds[batch[0]] >= best:
                break
            chosen = np.zeros((N, len(batch)))
            chosen[choices[batch].T, np.arange(len(batch))] = 1
            across = (between_columns @ chosen).reshape(M, M, -1) + backwards
            within = down[batch].T
            scores = within[:spare]  # of the columns chosen so far, by the last one
            for k in range(1, C):
                steps = across[k - 1 : k - 1 + spare, k : k + spare]
                scores = (scores[:, None] + steps).min(axis=0) + within[k : k + spare]
            least = scores.min(axis=0)
            if least.min() < best:
                best, rows = float(least.min()), choices[batch[least.argmin()]].tolist()
    return rows


def best_columns(rows: list[list[int]], C: int) -> list[int]:
    """The columns of the least score in these rows."""
    columns = list(zip(*rows, strict=True))
    down = [sum(abs(x - y) for x, y in pairwise(column)) for column in columns]
    best = {j: (score, [j]) for j, score in enumerate(down)}  # by the last column
    for _ in range(C - 1):
        best = {
            k: min(
                (
                    best[j][0] + down[k] + sum(map(abs, map(int.__sub__, columns[j], columns[k]))),
                    [*best[j][1], k],
                )
                for j in range(k)
                if j in best
            )
            for k in range(min(best) + 1, len(columns))
        }
    return min(best.values())[1]
