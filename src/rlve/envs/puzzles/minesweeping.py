from collections.abc import Sequence
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.grids import CORNERS, SIDES, Cell, neighbours
from rlve.answers import character_rows
from rlve.foundation.pictures import Grid
from rlve.rewards import INVALID, ratio
from rlve.text import counted, grid, joined, lines
from rlve.work import Work, fill_grid

MINE, FREE = "*", "."
UNKNOWN = -1


class Minesweeping(Environment[list[str]]):
    """Place mines in a grid so that given cells have given numbers of mines around them.

    Any placement that agrees with the numbers is right; there can be several.
    """

    MAX_N_M: int
    density: float  # the share of free cells whose number is shown
    N: int
    M: int
    grid: list[list[int]]  # the numbers; -1 where none is shown
    reference_answer: str

    max_difficulty = 200  # at 250, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Grid(blank="-1", answer="marks")

    template = """
        Here is a matrix of {N} rows and {M} columns. Each entry is -1 or a number from 0 to 8:

        {grid}

        Each cell is free or contains a mine. Find a placement of mines such that
        - every cell with a number from 0 to 8 is free, and the number of mines in the cells around
          it (horizontally, vertically and diagonally, up to eight cells) is this number;
        - a cell with -1 can be free or contain a mine.

        There is a solution; if there are several, any of them is right.

        Output format: {N} lines of {M} characters without separators: * for a mine, . for a free
        cell.
        """

    def prompt(self) -> str:
        return self.fill(grid=grid(self.grid))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": d + 4, "density": density} for density in (0.6, 0.7, 0.8, 0.9, 0.95)]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int, density: float) -> Self:
        N, M = rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)
        share = rng.uniform(0.4, 0.7)  # of mines
        cells = [(i, j) for i in range(N) for j in range(M)]
        rng.shuffle(cells)
        mines = max(1, min(int(N * M * share), N * M - 1))
        solution = [[FREE] * M for _ in range(N)]
        for i, j in cells[:mines]:
            solution[i][j] = MINE
        numbers = [[UNKNOWN] * M for _ in range(N)]
        free = cells[mines:]
        for i, j in free[: max(1, int(len(free) * density))]:
            numbers[i][j] = mines_around(solution, (i, j))
        return cls(
            MAX_N_M=MAX_N_M,
            density=density,
            N=N,
            M=M,
            grid=numbers,
            reference_answer=lines(map(joined, solution)),
        )

    def parse(self, text: str) -> list[str]:
        return character_rows(text, rows=self.N, columns=self.M, characters=MINE + FREE)

    def score(self, answer: list[str]) -> float:
        numbered = [
            (i, j) for i in range(self.N) for j in range(self.M) if self.grid[i][j] != UNKNOWN
        ]
        if any(answer[i][j] == MINE for i, j in numbered):
            return INVALID
        right = sum(mines_around(answer, (i, j)) == self.grid[i][j] for i, j in numbered)
        return ratio(right, len(numbered)) ** 10

    def work(self) -> Work[str | None]:
        yield "Fill cells that a number forces (it has its mines, or needs all cells left), or try."
        hidden = [["_" if x == UNKNOWN else str(x) for x in row] for row in self.grid]

        def fault(rows: list[list[str]], i: int, j: int) -> str | None:
            for x, y in neighbours(self.N, self.M, (i, j), SIDES + CORNERS):
                if self.grid[x][y] == UNKNOWN:
                    continue
                around = [
                    rows[a][b] for a, b in neighbours(self.N, self.M, (x, y), SIDES + CORNERS)
                ]
                least, most = around.count(MINE), around.count(MINE) + around.count("_")
                number = f"the {self.grid[x][y]} in row {x + 1}, column {y + 1}"
                if least > self.grid[x][y]:
                    return f"{number} would have {counted(least, 'mine')}"
                if most < self.grid[x][y]:
                    return f"{number} would have at most {counted(most, 'mine')}"
            return None

        rows = yield from fill_grid(hidden, "_", FREE + MINE, fault)
        if rows is None:
            return None
        drawn = [joined(MINE if x == MINE else FREE for x in row) for row in rows]
        for i, row in enumerate(drawn, 1):
            yield f"Row {i}: {row}"
        return lines(drawn)


def mines_around(rows: Sequence[Sequence[str]], cell: Cell) -> int:
    around = neighbours(len(rows), len(rows[0]), cell, SIDES + CORNERS)
    return sum(rows[i][j] == MINE for i, j in around)
