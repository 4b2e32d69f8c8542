from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.grids import Cell
from rlve.answers import character_rows
from rlve.foundation.pictures import Grid
from rlve.rewards import INVALID, WRONG, exact
from rlve.text import joined, lines, spaced
from rlve.work import Work, search

QUEEN, FREE = "Q", "."


class QueenPlacement(Environment[list[str]]):
    """Add queens to a chessboard so that no queen attacks another.

    Any placement that obeys the rules is right; there can be several.
    """

    N: int
    grid: list[list[str]]
    K: int  # the number of queens to add
    reference_answer: str

    max_difficulty = 150  # at 180, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Grid(answer="grid")

    template = """
        Here is a board of {N} rows and {N} columns. Q marks a queen, . marks an empty cell:

        {grid}

        A queen attacks every cell of its row, of its column and of both its diagonals, at any
        distance. Keep the queens that are on the board, and place exactly {K} more on empty cells,
        such that no two queens attack each other.

        There is a solution; if there are several, any of them is right.

        Output format: {N} lines of {N} characters Q or ., without separators: the whole board.
        """

    def prompt(self) -> str:
        return self.fill(grid=lines(map(joined, self.grid)))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": d + 4}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        queens = Queens()
        cells = [(i, j) for i in range(N) for j in range(N)]
        placed = [cell for cell in rng.sample(cells, N * N) if queens.add(cell)]
        K = rng.randint(1, max(1, len(placed) // 2))
        solution = board(N, placed)
        return cls(
            N=N,
            grid=board(N, rng.sample(placed, len(placed) - K)),
            K=K,
            reference_answer=lines(map(joined, solution)),
        )

    def parse(self, text: str) -> list[str]:
        return character_rows(text, rows=self.N, columns=self.N, characters=QUEEN + FREE)

    def score(self, answer: list[str]) -> float:
        """The first cell, row by row, at which something is wrong decides."""
        queens, added = Queens(), 0
        for i, row in enumerate(answer):
            for j, x in enumerate(row):
                given = self.grid[i][j] == QUEEN
                if given and x != QUEEN:
                    return INVALID
                if x == QUEEN:
                    if not queens.add((i, j)):
                        return WRONG
                    added += not given
        return exact(added == self.K)

    def work(self) -> Work[str | None]:
        cells = [(i, j) for i in range(self.N) for j in range(self.N)]
        given = [(i, j) for i, j in cells if self.grid[i][j] == QUEEN]
        yield "Write (i, j) for row i and column j, counted from 1."
        yield f"Queens: {spaced(map(shown, given)) or 'none'}"
        rows = [i for i in range(self.N) if QUEEN not in self.grid[i]]
        columns = [j for j in range(self.N) if all(row[j] != QUEEN for row in self.grid)]
        yield f"Rows without a queen: {spaced(i + 1 for i in rows)}"
        yield f"Columns without a queen: {spaced(j + 1 for j in columns)}"
        yield "Of the cells in both, strike out those that a queen attacks on a diagonal."
        free = [(i, j) for i in rows for j in columns]
        for queen in given:
            hit = [cell for cell in free if attacks(cell, queen)]
            yield f"By {shown(queen)}: {spaced(map(shown, hit)) or 'no more'}"
            free = [cell for cell in free if not attacks(cell, queen)]
        yield f"Cells that no queen attacks: {spaced(map(shown, free))}"

        def conflict(chosen: list[Cell], cell: Cell) -> str | None:
            queen = next((queen for queen in chosen if attacks(cell, queen)), None)
            return None if queen is None else f"attacked by {shown(queen)}"

        added = yield from search(
            lambda chosen: free[free.index(chosen[-1]) + 1 :] if chosen else free,
            conflict,
            lambda chosen: len(chosen) == self.K,
            shown,
        )
        if added is None:
            return None
        filled = list(map(joined, board(self.N, given + added)))
        for i, row in enumerate(filled, 1):
            yield f"Row {i}: {row}"
        return lines(filled)


def board(N: int, queens: list[Cell]) -> list[list[str]]:
    cells = [[FREE] * N for _ in range(N)]
    for i, j in queens:
        cells[i][j] = QUEEN
    return cells


class Queens:
    """Queens that do not attack each other."""

    def __init__(self) -> None:
        self.lines: set[tuple[str, int]] = set()

    def add(self, cell: Cell) -> bool:
        """Place a queen; return False, and do nothing, if another one attacks the cell."""
        i, j = cell
        crossed = {("row", i), ("column", j), ("falling", i - j), ("rising", i + j)}
        if not self.lines.isdisjoint(crossed):
            return False
        self.lines |= crossed
        return True


def attacks(cell: Cell, queen: Cell) -> bool:
    """Whether a queen attacks a cell, or stands on it."""
    down, across = cell[0] - queen[0], cell[1] - queen[1]
    return down == 0 or across == 0 or abs(down) == abs(across)


def shown(cell: Cell) -> str:
    return f"({cell[0] + 1}, {cell[1] + 1})"
