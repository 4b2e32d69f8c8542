from itertools import combinations
from random import Random
from typing import Self, TypeAlias

from rlve import Environment, Level
from rlve.algorithms.arrays import is_permutation
from rlve.answers import integer_rows
from rlve.foundation.pictures import Grid
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.text import grid, joined, lines, spaced
from rlve.work import Work, search, state


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
    picture = Grid("A")

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

    def work(self) -> Work[str | None]:
        ones = {i: [j for j, x in enumerate(row) if x] for i, row in enumerate(self.A)}
        yield "Ones: " + "; ".join(f"row {i} has {spaced(columns)}" for i, columns in ones.items())
        yield "Rows a[i] and a[last - i] must both have ones in columns b[i] and b[last - i]."
        yield "So find a second row and two columns for the first row left, written"
        yield "[rows | columns], and go back where there are none."
        if self.N % 2:
            yield "One row with one column is for the middle."

        def options(chosen: list[Square]) -> list[Square]:
            """What can be done with the first row that is left: the rows and their columns."""
            rows = [i for i in ones if not any(i in square[0] for square in chosen)]
            free = [j for j in ones if not any(j in square[1] for square in chosen)]
            first = rows[0]
            pairs = [
                ((first, other), columns)
                for other in rows[1:]
                for columns in combinations(free, 2)
                if all(self.A[first][j] and self.A[other][j] for j in columns)
            ]
            odd = self.N % 2 and not any(len(square[0]) == 1 for square in chosen)
            return pairs + [((first,), (j,)) for j in free if odd and self.A[first][j]]

        found = yield from search(
            options,
            lambda chosen, square: None,
            lambda chosen: sum(len(rows) for rows, _ in chosen) == self.N,
            lambda square: f"[{spaced(square[0])} | {spaced(square[1])}]",
        )
        if found is None:
            return None
        found.sort(key=lambda square: -len(square[0]))  # the middle comes last
        a, b = (
            [*(square[k][0] for square in found), *(s[k][1] for s in found[::-1] if s[k][1:])]
            for k in (0, 1)
        )
        yield "The first of each pair in front, the second at the back in reverse" + (
            ", the single one between:" if self.N % 2 else ":"
        )
        yield state("a", a)
        yield state("b", b)
        return grid([a, b])


Square: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
"""Rows and columns in which all entries are 1."""


def diagonal_cells(rows: list[int], columns: list[int]) -> set[tuple[int, int]]:
    """The cells that these orders put on a diagonal; if the side is odd, the centre is on both."""
    return {*zip(rows, columns, strict=True), *zip(rows, columns[::-1], strict=True)}
