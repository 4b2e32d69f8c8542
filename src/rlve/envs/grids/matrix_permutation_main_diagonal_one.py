from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import is_permutation
from rlve.answers import integer_rows
from rlve.foundation.pictures import Grid
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.text import grid, joined, lines, spaced
from rlve.work import Work, search, state


class MatrixPermutation_MainDiagonalOne(Environment[tuple[list[int], list[int]]]):
    """Rearrange the rows and columns of a 0/1 matrix so that its main diagonal is all ones.

    Any two permutations that do so are right. Matrices that already have such a diagonal are
    redrawn.
    """

    N: int
    A: list[list[int]]
    reference_answer: str

    max_difficulty = 150  # at 180, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Grid("A")

    template = """
        The matrix A has {N} rows and {N} columns of zeros and ones. Rows and columns are numbered
        from 0 to {last}:

        {A}

        Find a permutation a of the row numbers and a permutation b of the column numbers such that
        A[a[i]][b[i]] = 1 for every i from 0 to {last}. In other words, if the rows of A are put in
        the order a[0], a[1], ... and the columns in the order b[0], b[1], ..., the main diagonal
        contains only ones. There are such permutations; any of them are accepted.

        Output format: two lines, with values separated by spaces: first a[0] to a[{last}], then
        b[0] to b[{last}].
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, A=lines(map(joined, self.A)))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": d + 3}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        return prefer(
            lambda: cls.draw(rng, N),
            until=lambda drawn: not all(drawn.A[i][i] for i in range(N)),
        )

    @classmethod
    def draw(cls, rng: Random, N: int) -> Self:
        p = rng.uniform(0, 0.5)  # the probability of a one besides the planted ones
        A = [[int(rng.random() < p) for _ in range(N)] for _ in range(N)]
        rows, columns = rng.sample(range(N), N), rng.sample(range(N), N)
        for i, j in zip(rows, columns, strict=True):
            A[i][j] = 1
        return cls(N=N, A=A, reference_answer=grid([rows, columns]))

    def parse(self, text: str) -> tuple[list[int], list[int]]:
        first, second = integer_rows(text, rows=2)
        return first, second

    def score(self, answer: tuple[list[int], list[int]]) -> float:
        a, b = answer
        if any(not is_permutation(order, self.N) for order in answer):
            return INVALID
        ones = sum(self.A[i][j] for i, j in zip(a, b, strict=True))
        return ratio(ones, self.N) ** 5

    def work(self) -> Work[str | None]:
        yield "Keep the rows in order, a = 0 1 2 ..., and give each row its own column with a 1."
        ones = [[j for j, x in enumerate(row) if x] for row in self.A]
        rows = "; ".join(f"row {i} has {spaced(columns)}" for i, columns in enumerate(ones))
        yield f"Ones: {rows}"
        yield "Row by row, try the columns, and go back where none is left:"
        b = yield from search(
            lambda chosen: ones[len(chosen)],
            lambda chosen, j: f"row {chosen.index(j)} has it" if j in chosen else None,
            lambda chosen: len(chosen) == self.N,
        )
        if b is None:
            return None
        yield state("a", range(self.N))
        yield state("b", b)
        return grid([list(range(self.N)), b])
