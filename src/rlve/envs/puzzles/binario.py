from collections.abc import Sequence
from operator import eq
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.grids import keeps
from rlve.answers import character_rows
from rlve.foundation.pictures import Grid
from rlve.rewards import INVALID, ratio
from rlve.sampling.blanks import with_blanks
from rlve.text import joined, lines
from rlve.work import Work, fill_grid, join_rows, ones_fault

EMPTY = "*"


class Binario(Environment[list[str]]):
    """Fill a grid with 0 and 1, given the ones in each line, with no three equal cells in a row.

    Any grid that obeys the rules is right; there can be several. The planted grid grows row by row,
    each row uniform among those that can follow.
    """

    MAX_N_M: int
    sparsity: float  # the share of cells that are emptied
    N: int
    M: int
    matrix: list[str]
    row_counts: list[int]
    col_counts: list[int]
    reference_answer: str

    max_difficulty = 200  # at 250, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Grid("matrix", blank="*", left="row_counts", top="col_counts", answer="grid")

    template = """
        Here is a grid of {N} rows and {M} columns. Each cell is 0, 1 or empty; * marks an empty
        cell:

        {matrix}

        Replace every * by 0 or 1 and keep all other cells, such that
        - the numbers of ones in the rows, from top to bottom, are {row_counts};
        - the numbers of ones in the columns, from left to right, are {col_counts};
        - no three consecutive cells of a row are equal, and no three consecutive cells of a column.

        There is a solution; if there are several, any of them is right.

        Output format: {N} lines of {M} characters 0 or 1, without separators: the completed grid.
        """

    def prompt(self) -> str:
        return self.fill(
            matrix=lines(self.matrix),
            row_counts=", ".join(map(str, self.row_counts)),
            col_counts=", ".join(map(str, self.col_counts)),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": d + 2, "sparsity": tenth / 10} for tenth in range(1, 10)]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int, sparsity: float) -> Self:
        N, M = rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)
        solution: list[list[int]] = []
        for _ in range(N):
            solution.append(next_row(rng, M, solution[-2:]))
        texts = list(map(joined, solution))
        return cls(
            MAX_N_M=MAX_N_M,
            sparsity=sparsity,
            N=N,
            M=M,
            matrix=[joined(row) for row in with_blanks(rng, texts, sparsity, EMPTY)],
            row_counts=list(map(sum, solution)),
            col_counts=list(map(sum, zip(*solution, strict=True))),
            reference_answer=lines(texts),
        )

    def parse(self, text: str) -> list[str]:
        return character_rows(text, rows=self.N, columns=self.M, characters="01")

    def score(self, answer: list[str]) -> float:
        if not keeps(answer, self.matrix, EMPTY):
            return INVALID
        columns = list(map(joined, zip(*answer, strict=True)))
        if any(triple in line for line in (*answer, *columns) for triple in ("000", "111")):
            return INVALID
        counts = [line.count("1") for line in (*answer, *columns)]
        right = sum(map(eq, counts, self.row_counts + self.col_counts))
        return ratio(right, self.N + self.M) ** 10

    def work(self) -> Work[str | None]:
        yield "Fill cells that are forced by a count or by two equal cells; try where none is."
        yield "Counts in brackets are those that the digit would lead to."

        def fault(rows: list[list[str]], i: int, j: int) -> str | None:
            column = [row[j] for row in rows]
            for name, line, place, ones in (
                (f"row {i + 1}", rows[i], j, self.row_counts[i]),
                (f"column {j + 1}", column, i, self.col_counts[j]),
            ):
                if line[place] * 3 in joined(line[max(0, place - 2) : place + 3]):
                    return f"three equal in {name}"
                if reason := ones_fault(line, ones, name):
                    return reason
            return None

        rows = yield from fill_grid(self.matrix, EMPTY, "01", fault)
        return None if rows is None else (yield from join_rows(rows))


def next_row(rng: Random, M: int, above: Sequence[Sequence[int]]) -> list[int]:
    """A row that can follow the two rows above, uniform among all of them.

    There is one: the complement of the last row.
    """
    allowed = [{0, 1} for _ in range(M)]
    if len(above) == 2:
        for values, first, second in zip(allowed, *above, strict=True):
            if first == second:
                values.discard(first)
    # ways[j][x, run]: the ways to fill positions from j on, after a run of equal values x
    ways: list[dict[tuple[int, int], int]] = [{} for _ in range(M)]
    ways.append(dict.fromkeys(((x, run) for x in (0, 1) for run in (1, 2)), 1))
    for j in reversed(range(M)):
        for x, run in ways[M]:
            ways[j][x, run] = sum(
                ways[j + 1][after(x, run, y)] for y in allowed[j] if run == 1 or y != x
            )
    row: list[int] = []
    x, run = -1, 1  # before the first position
    for j in range(M):
        zeros, ones = (
            ways[j + 1][after(x, run, y)] if y in allowed[j] and (run == 1 or y != x) else 0
            for y in (0, 1)
        )
        y = int(rng.randrange(zeros + ones) >= zeros)
        x, run = after(x, run, y)
        row.append(y)
    return row


def after(x: int, run: int, y: int) -> tuple[int, int]:
    """The last value and the length of its run when y is appended."""
    return y, run + 1 if y == x else 1
