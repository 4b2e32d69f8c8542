from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import is_permutation
from rlve.answers import integer_rows
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.text import grid, joined, lines


class MatrixPermutation_BothDiagonalOne(Environment[tuple[list[int], list[int]]]):
    """Rearrange the rows and columns of a 0/1 matrix so that both diagonals are all ones.

    Any two permutations that do so are right. Matrices that already have such diagonals are
    redrawn.
    """

    N: int
    A: list[list[int]]
    reference_answer: str

    max_difficulty = 70  # at 90, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right

    template = """
        The matrix A has {N} rows and {N} columns of zeros and ones. Rows and columns are numbered
        from 0 to {last}:

        {A}

        Find a permutation a of the row numbers and a permutation b of the column numbers such that
        - A[a[i]][b[i]] = 1 for every i from 0 to {last}, and
        - A[a[i]][b[{last} - i]] = 1 for every i from 0 to {last}.
        In other words, if the rows of A are put in the order a[0], a[1], ... and the columns in the
        order b[0], b[1], ..., both diagonals contain only ones. There are such permutations; any of
        them are accepted.

        Output format: two lines, with values separated by spaces: first a[0] to a[{last}], then
        b[0] to b[{last}].
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, A=lines(map(joined, self.A)))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 2 * d + 3}, {"N": 2 * d + 4}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        unchanged = list(range(N))
        return prefer(
            lambda: cls.draw(rng, N),
            until=lambda drawn: drawn.score((unchanged, unchanged)) < 1,
        )

    @classmethod
    def draw(cls, rng: Random, N: int) -> Self:
        p = rng.uniform(0, 0.25)  # the probability of a one besides the planted ones
        A = [[int(rng.random() < p) for _ in range(N)] for _ in range(N)]
        rows, columns = rng.sample(range(N), N), rng.sample(range(N), N)
        for i, j in diagonal_cells(rows, columns):
            A[i][j] = 1
        return cls(N=N, A=A, reference_answer=grid([rows, columns]))

    def parse(self, text: str) -> tuple[list[int], list[int]]:
        first, second = integer_rows(text, rows=2)
        return first, second

    def score(self, answer: tuple[list[int], list[int]]) -> float:
        if any(not is_permutation(order, self.N) for order in answer):
            return INVALID
        cells = diagonal_cells(*answer)
        return ratio(sum(self.A[i][j] for i, j in cells), len(cells)) ** 5


def diagonal_cells(rows: list[int], columns: list[int]) -> set[tuple[int, int]]:
    """The cells that these orders put on a diagonal; if the side is odd, the centre is on both."""
    return {*zip(rows, columns, strict=True), *zip(rows, columns[::-1], strict=True)}
