from operator import eq
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.grids import keeps, neighbours
from rlve.answers import character_rows
from rlve.foundation.pictures import Grid
from rlve.rewards import INVALID, ratio
from rlve.sampling.blanks import with_blanks
from rlve.text import joined, lines
from rlve.work import Work, fill_grid, join_rows, ones_fault

EMPTY = "*"


class CampsitePuzzle(Environment[list[str]]):
    """Place ones that do not touch in a grid, given how many each row and column has.

    Any grid that obeys the rules is right; there can be several.
    """

    MAX_N_M: int
    sparsity: float  # the share of cells that are emptied
    N: int
    M: int
    matrix: list[str]
    row_counts: list[int]
    col_counts: list[int]
    reference_answer: str

    max_difficulty = 250  # at 310, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Grid("matrix", blank="*", left="row_counts", top="col_counts", answer="grid")

    template = """
        Here is a grid of {N} rows and {M} columns. Each cell is 0, 1 or empty; * marks an empty
        cell:

        {matrix}

        Replace every * by 0 or 1 and keep all other cells, such that
        - no two ones are next to each other horizontally or vertically (diagonally they may be);
        - the numbers of ones in the rows, from top to bottom, are {row_counts};
        - the numbers of ones in the columns, from left to right, are {col_counts}.

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
        return [{"MAX_N_M": d + 3, "sparsity": tenth / 10} for tenth in range(1, 10)]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int, sparsity: float) -> Self:
        N, M = rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)
        solution = [[0] * M for _ in range(N)]
        for cell in rng.sample(range(N * M), N * M):
            i, j = divmod(cell, M)
            if not any(solution[x][y] for x, y in neighbours(N, M, (i, j))):
                solution[i][j] = rng.randint(0, 1)
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
        both = (*answer, *map(joined, zip(*answer, strict=True)))
        if any("11" in line for line in both):
            return INVALID
        counts = [line.count("1") for line in both]
        right = sum(map(eq, counts, self.row_counts + self.col_counts))
        return ratio(right, self.N + self.M) ** 10

    def work(self) -> Work[str | None]:
        yield "Fill cells that are forced by a count or by a one next to them; try where none is."
        yield "Counts in brackets are those that the digit would lead to."

        def fault(rows: list[list[str]], i: int, j: int) -> str | None:
            beside = [rows[x][y] for x, y in neighbours(self.N, self.M, (i, j))]
            if rows[i][j] == "1" and "1" in beside:
                return "next to a one"
            column = [row[j] for row in rows]
            return ones_fault(rows[i], self.row_counts[i], f"row {i + 1}") or ones_fault(
                column, self.col_counts[j], f"column {j + 1}"
            )

        rows = yield from fill_grid(self.matrix, EMPTY, "01", fault)
        return None if rows is None else (yield from join_rows(rows))
