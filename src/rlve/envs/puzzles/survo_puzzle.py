from operator import eq
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import is_permutation
from rlve.algorithms.grids import keeps
from rlve.answers import integer_rows
from rlve.foundation.pictures import Grid
from rlve.rewards import INVALID, ratio
from rlve.sampling.blanks import with_blanks
from rlve.text import grid, spaced
from rlve.work import Work, fill_grid, state

EMPTY = -1
MOST_EMPTY = 30  # cells, for a worked solution; each takes a line


class SurvoPuzzle(Environment[list[list[int]]]):
    """Complete a matrix of different integers, given the sums of its rows and columns.

    Any completion with these sums is right; there can be several.
    """

    MAX_N_M: int
    sparsity: float  # the share of cells that are emptied
    N: int
    M: int
    matrix: list[list[int]]
    row_sums: list[int]
    col_sums: list[int]
    reference_answer: str

    max_difficulty = 120  # at 160, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Grid("matrix", blank="-1", right="row_sums", bottom="col_sums", answer="grid")

    template = """
        Here is a matrix of {N} rows and {M} columns; -1 marks an empty cell:

        {matrix}

        Replace every -1 by an integer and keep all other cells, such that
        - the matrix contains every integer from 0 to {last} exactly once;
        - the sums of the rows, from top to bottom, are {row_sums};
        - the sums of the columns, from left to right, are {col_sums}.

        There is a solution; if there are several, any of them is right.

        Output format: {N} lines of {M} integers, separated by spaces: the completed matrix.
        """

    def prompt(self) -> str:
        return self.fill(
            matrix=grid(self.matrix),
            last=self.N * self.M - 1,
            row_sums=spaced(self.row_sums),
            col_sums=spaced(self.col_sums),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": d + 3, "sparsity": tenth / 10} for tenth in range(1, 10)]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int, sparsity: float) -> Self:
        N, M = rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)
        values = rng.sample(range(N * M), N * M)
        solution = [values[i * M : i * M + M] for i in range(N)]
        return cls(
            MAX_N_M=MAX_N_M,
            sparsity=sparsity,
            N=N,
            M=M,
            matrix=with_blanks(rng, solution, sparsity, EMPTY),
            row_sums=list(map(sum, solution)),
            col_sums=list(map(sum, zip(*solution, strict=True))),
            reference_answer=grid(solution),
        )

    def parse(self, text: str) -> list[list[int]]:
        return integer_rows(text, rows=self.N, columns=self.M)

    def score(self, answer: list[list[int]]) -> float:
        values = [value for row in answer for value in row]
        if not is_permutation(values, self.N * self.M) or not keeps(answer, self.matrix, EMPTY):
            return INVALID
        sums = map(sum, (*answer, *zip(*answer, strict=True)))
        right = sum(map(eq, sums, self.row_sums + self.col_sums))
        return ratio(right, self.N + self.M) ** 5

    def work(self) -> Work[str | None]:
        given = {x for row in self.matrix for x in row}
        missing = [x for x in range(self.N * self.M) if x not in given]
        if len(missing) > MOST_EMPTY:
            return None
        yield state("All", range(self.N * self.M))
        yield state("Missing", missing)
        yield "A value is ruled out if its row or column would get more than its sum even with the"
        yield "smallest integers left in its other empty cells, or less even with the largest."

        def fault(rows: list[list[int]], i: int, j: int) -> str | None:
            used = [x for row in rows for x in row]
            if used.count(rows[i][j]) > 1:
                return "used"
            left = [x for x in missing if x not in used]
            for name, line, total in (
                (f"row {i + 1}", rows[i], self.row_sums[i]),
                (f"column {j + 1}", [row[j] for row in rows], self.col_sums[j]),
            ):
                known = sum(x for x in line if x != EMPTY)
                blank = line.count(EMPTY)
                if not known + sum(left[:blank]) <= total <= known + sum(left[len(left) - blank :]):
                    return f"{name} cannot get {total}"
            return None

        rows = yield from fill_grid(self.matrix, EMPTY, missing, fault)
        if rows is None:
            return None
        for i, row in enumerate(rows, 1):
            yield state(f"Row {i}", row)
        return grid(rows)
