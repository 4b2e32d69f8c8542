from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer_rows
from rlve.foundation.pictures import Grid
from rlve.rewards import INVALID, exact
from rlve.text import grid
from rlve.work import Work, fill_grid, state

MOST_EMPTY = 40  # cells, for a worked solution; each takes a line


class Sudoku(Environment[list[list[int]]]):
    """Fill a square grid so that every row, column and box contains every value once.

    Any completion that keeps the givens is right; there can be several. The planted grids are
    shuffles of one pattern, not uniform among all grids. A level limits the sides of a box, as
    published, so it spans much: at d = 3, grids are from 4 x 4 to 25 x 25.
    """

    MAX_N_M: int
    sparsity: float  # the share of cells that are emptied
    N: int  # rows of a box
    M: int  # columns of a box
    NM: int  # side of the grid
    sudoku: list[list[int]]  # 0 marks an empty cell
    reference_answer: str

    max_difficulty = 8  # side 100 takes up to 29,100 characters; side 121 would take 44,000
    unique_up_to = None  # several answers can be right
    picture = Grid("sudoku", blank="0", answer="grid")

    template = """
        Complete this Sudoku. The grid has {NM} rows and {NM} columns; 0 marks an empty cell:

        {sudoku}

        Replace every 0 by an integer from 1 to {NM} and keep all other cells, such that
        - each row contains every integer from 1 to {NM} exactly once;
        - each column contains every integer from 1 to {NM} exactly once;
        - each box contains every integer from 1 to {NM} exactly once. The boxes cut the grid, from
          its top left corner on, into rectangles of {N} rows and {M} columns.

        There is a solution; if there are several, any of them is right.

        Output format: {NM} lines of {NM} integers, separated by spaces: the completed grid.
        """

    def prompt(self) -> str:
        return self.fill(sudoku=grid(self.sudoku))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": d + 2, "sparsity": tenth / 10} for tenth in range(1, 10)]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int, sparsity: float) -> Self:
        rows, columns = rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)
        NM = rows * columns
        solution = shuffled_pattern(rng, rows, columns)
        if rng.random() < 0.5:
            solution = [list(column) for column in zip(*solution, strict=True)]
            rows, columns = columns, rows
        sudoku = [list(row) for row in solution]
        for cell in rng.sample(range(NM * NM), max(1, int(NM * NM * sparsity))):
            sudoku[cell // NM][cell % NM] = 0
        return cls(
            MAX_N_M=MAX_N_M,
            sparsity=sparsity,
            N=rows,
            M=columns,
            NM=NM,
            sudoku=sudoku,
            reference_answer=grid(solution),
        )

    def parse(self, text: str) -> list[list[int]]:
        return integer_rows(text, rows=self.NM, columns=self.NM)

    def score(self, answer: list[list[int]]) -> float:
        if not all(1 <= value <= self.NM for row in answer for value in row):
            return INVALID
        for row, given_row in zip(answer, self.sudoku, strict=True):
            if any(given not in (0, value) for value, given in zip(row, given_row, strict=True)):
                return INVALID
        columns = zip(*answer, strict=True)
        groups = [*answer, *columns, *boxes(answer, self.N, self.M)]
        return exact(all(len(set(group)) == self.NM for group in groups))

    def work(self) -> Work[str | None]:
        if sum(row.count(0) for row in self.sudoku) > MOST_EMPTY:
            return None
        yield "Fill cells that only one integer fits; where there is none, try."

        def fault(rows: list[list[int]], i: int, j: int) -> str | None:
            value = rows[i][j]
            if rows[i].count(value) > 1:
                return "row"
            if [row[j] for row in rows].count(value) > 1:
                return "column"
            top, left = i - i % self.N, j - j % self.M
            box = [x for row in rows[top : top + self.N] for x in row[left : left + self.M]]
            return "box" if box.count(value) > 1 else None

        rows = yield from fill_grid(self.sudoku, 0, range(1, self.NM + 1), fault)
        if rows is None:
            return None
        for i, row in enumerate(rows, 1):
            yield state(f"Row {i}", row)
        return grid(rows)


def shuffled_pattern(rng: Random, N: int, M: int) -> list[list[int]]:
    """A solved grid with boxes of N rows and M columns."""
    NM = N * M
    values = rng.sample(range(1, NM + 1), NM)
    rows = shuffled_groups(rng, M, N)
    columns = shuffled_groups(rng, N, M)
    return [[values[(M * (r % N) + r // N + c) % NM] for c in columns] for r in rows]


def shuffled_groups(rng: Random, groups: int, size: int) -> list[int]:
    """0, 1, 2, ... cut into groups; the groups and the members of each are shuffled."""
    return [
        group * size + member
        for group in rng.sample(range(groups), groups)
        for member in rng.sample(range(size), size)
    ]


def boxes(cells: list[list[int]], N: int, M: int) -> list[list[int]]:
    side = range(N * M)
    return [
        [value for row in cells[top : top + N] for value in row[left : left + M]]
        for top in side[::N]
        for left in side[::M]
    ]
