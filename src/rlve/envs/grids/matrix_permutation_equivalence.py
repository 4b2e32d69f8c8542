from collections.abc import Iterable
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import is_permutation
from rlve.algorithms.grids import equal_cells
from rlve.answers import integer_rows
from rlve.foundation.pictures import Grid
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.text import grid, joined, lines, spaced
from rlve.work import Work, search, state


class MatrixPermutationEquivalence(Environment[tuple[list[int], list[int]]]):
    """Find the orders of rows and columns that turn one 0/1 matrix into another.

    Any two permutations that do so are right. Matrices that are already equal are redrawn; the
    share of ones has the published wide range.
    """

    MAX_N_M: int
    N: int
    M: int
    A: list[list[int]]
    B: list[list[int]]
    reference_answer: str

    max_difficulty = 150  # at 210, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = (Grid("A"), Grid("B"))

    template = """
        The matrices A and B have {N} rows and {M} columns of zeros and ones. Rows and columns are
        numbered from 0. The matrix A:

        {A}

        The matrix B:

        {B}

        B is A with its rows and its columns rearranged. Find a permutation a of the row numbers 0
        to {last_row} and a permutation b of the column numbers 0 to {last_column} such that
        A[a[i]][b[j]] = B[i][j] for every row i and every column j. Any such a and b are accepted.

        Output format: two lines, with values separated by spaces: first a[0] to a[{last_row}], then
        b[0] to b[{last_column}].
        """

    def prompt(self) -> str:
        return self.fill(
            A=lines(map(joined, self.A)),
            B=lines(map(joined, self.B)),
            last_row=self.N - 1,
            last_column=self.M - 1,
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": d + 3}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        return prefer(lambda: cls.draw(rng, MAX_N_M), until=lambda drawn: drawn.A != drawn.B)

    @classmethod
    def draw(cls, rng: Random, MAX_N_M: int) -> Self:
        N, M = rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)
        p = rng.random()  # the probability of a one
        A = [[int(rng.random() < p) for _ in range(M)] for _ in range(N)]
        rows, columns = rng.sample(range(N), N), rng.sample(range(M), M)
        return cls(
            MAX_N_M=MAX_N_M,
            N=N,
            M=M,
            A=A,
            B=rearranged(A, rows, columns),
            reference_answer=grid([rows, columns]),
        )

    def parse(self, text: str) -> tuple[list[int], list[int]]:
        first, second = integer_rows(text, rows=2)
        return first, second

    def score(self, answer: tuple[list[int], list[int]]) -> float:
        a, b = answer
        if not is_permutation(a, self.N) or not is_permutation(b, self.M):
            return INVALID
        return ratio(equal_cells(rearranged(self.A, a, b), self.B), self.N * self.M) ** 5

    def work(self) -> Work[str | None]:
        yield "Choose rows of A for the rows of B, one after another, such that the columns so far"
        yield "are the same as in B up to their order (they are written sorted):"

        def conflict(a: list[int], row: int) -> str | None:
            chosen = sorted_columns(self.A, [*a, row])
            wanted = sorted_columns(self.B, range(len(a) + 1))
            if chosen == wanted:
                return None
            return f"columns {' / '.join(chosen)}, not {' / '.join(wanted)}"

        a = yield from search(
            lambda a: [i for i in range(self.N) if i not in a],
            conflict,
            lambda a: len(a) == self.N,
            note=lambda a: f", columns {' / '.join(sorted_columns(self.A, a))}",
        )
        if a is None:
            return None
        of_a = [[self.A[i][j] for i in a] for j in range(self.M)]
        columns = ", ".join(f"{j} is {spaced(column)}" for j, column in enumerate(of_a))
        yield f"Columns of A with these rows: {columns}"
        b: list[int] = []
        for j in range(self.M):
            wanted = [row[j] for row in self.B]
            b.append(next(k for k, column in enumerate(of_a) if column == wanted and k not in b))
            yield f"Column {j} of B is {spaced(wanted)}: column {b[-1]} of A"
        yield state("a", a)
        yield state("b", b)
        return grid([a, b])


def sorted_columns(matrix: list[list[int]], rows: Iterable[int]) -> list[str]:
    """The columns of some rows, in ascending order."""
    return sorted(map(spaced, zip(*(matrix[i] for i in rows), strict=True)))


def rearranged(A: list[list[int]], rows: list[int], columns: list[int]) -> list[list[int]]:
    return [[A[i][j] for j in columns] for i in rows]
