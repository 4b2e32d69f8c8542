from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.grids import keeps
from rlve.answers import character_rows
from rlve.foundation.pictures import Grid
from rlve.levels import grow
from rlve.rewards import INVALID, exact
from rlve.sampling.blanks import with_blanks
from rlve.text import joined, lines
from rlve.work import Work, fill_grid, join_rows, ones_fault

EMPTY = "*"
SWAPS_PER_CELL = 10


class Binario_NoAdjacencyRequirement(Environment[list[str]]):
    """Fill a grid so that every row and every column has as many zeros as ones.

    Any balanced grid that keeps the givens is right; there can be several. The planted grid is a
    shuffled chequerboard in which many random squares of cells 01/10 have become 10/01, so that its
    rows are not all copies and complements of one another.
    """

    MAX_N_M: int
    sparsity: float  # the share of cells that are emptied
    N: int  # half the number of rows
    M: int  # half the number of columns
    matrix: list[str]
    reference_answer: str

    max_difficulty = 25  # at 30, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Grid("matrix", blank="*", answer="grid")

    template = """
        Here is a grid of {rows} rows and {columns} columns. Each cell is 0, 1 or empty; * marks an
        empty cell:

        {matrix}

        Replace every * by 0 or 1 and keep all other cells, such that
        - each row contains exactly {M} zeros and {M} ones;
        - each column contains exactly {N} zeros and {N} ones.

        There is a solution; if there are several, any of them is right.

        Output format: {rows} lines of {columns} characters 0 or 1, without separators: the
        completed grid.
        """

    def prompt(self) -> str:
        return self.fill(rows=2 * self.N, columns=2 * self.M, matrix=lines(self.matrix))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": grow(2, d), "sparsity": tenth / 10} for tenth in range(1, 10)]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int, sparsity: float) -> Self:
        N, M = rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)
        solution = list(map(joined, balanced_grid(rng, 2 * N, 2 * M)))
        return cls(
            MAX_N_M=MAX_N_M,
            sparsity=sparsity,
            N=N,
            M=M,
            matrix=[joined(row) for row in with_blanks(rng, solution, sparsity, EMPTY)],
            reference_answer=lines(solution),
        )

    def parse(self, text: str) -> list[str]:
        N, M = 2 * self.N, 2 * self.M
        return character_rows(text, rows=N, columns=M, characters="01")

    def score(self, answer: list[str]) -> float:
        if not keeps(answer, self.matrix, EMPTY):
            return INVALID
        rows_are_balanced = all(row.count("1") == self.M for row in answer)
        columns_are_balanced = all(
            column.count("1") == self.N for column in zip(*answer, strict=True)
        )
        return exact(rows_are_balanced and columns_are_balanced)

    def work(self) -> Work[str | None]:
        yield f"Each row has {self.M} ones and each column {self.N}. Fill what this forces, or try."
        yield "Counts in brackets are those that the digit would lead to."

        def fault(rows: list[list[str]], i: int, j: int) -> str | None:
            column = [row[j] for row in rows]
            return ones_fault(rows[i], self.M, f"row {i + 1}") or ones_fault(
                column, self.N, f"column {j + 1}"
            )

        rows = yield from fill_grid(self.matrix, EMPTY, "01", fault)
        return None if rows is None else (yield from join_rows(rows))


def balanced_grid(rng: Random, N: int, M: int) -> list[list[int]]:
    """N rows and M columns, both even, each with as many zeros as ones."""
    rows, columns = rng.sample(range(N), N), rng.sample(range(M), M)
    cells = [[(i + j) % 2 for j in columns] for i in rows]
    for _ in range(SWAPS_PER_CELL * N * M):
        upper, lower = cells[rng.randrange(N)], cells[rng.randrange(N)]
        j, k = rng.randrange(M), rng.randrange(M)
        if upper[j] == lower[k] != upper[k] == lower[j]:
            upper[j], upper[k] = upper[k], upper[j]
            lower[j], lower[k] = lower[k], lower[j]
    return cells
