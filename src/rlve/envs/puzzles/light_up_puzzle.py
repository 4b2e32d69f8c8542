from collections.abc import Iterable, Iterator
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.grids import SIDES, Cell, neighbours
from rlve.answers import character_rows
from rlve.foundation.pictures import Grid
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.text import counted, joined, lines
from rlve.work import Work, fill_grid

WHITE, BLACK, BULB = "W", "B", "L"


class LightUpPuzzle(Environment[list[str]]):
    """Place bulbs in a grid so that they light all white cells but not each other.

    Any placement that obeys the rules is right; there can be several. In most small grids no two
    white cells see each other, so every white cell needs a bulb; such grids are redrawn.
    """

    MAX_N_M: int
    density: float  # the share of black cells that carry a digit
    N: int
    M: int
    grid: list[str]
    reference_answer: str

    max_difficulty = 250  # at 340, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Grid(blank="W", solid="B", answer="grid")

    template = """
        Here is a grid of {N} rows and {M} columns. W marks a white cell; B and the digits 0 to 4
        mark black cells:

        {grid}

        Place a bulb, written L, in some of the white cells. A bulb lights its own cell and every
        white cell that can be reached from it in a straight line up, down, left or right, as far as
        the border or the next black cell. The rules are:
        - Every white cell is lit.
        - No bulb is lit by another one: there is a black cell between any two bulbs in the same row
          or column.
        - Each black cell with a digit has exactly that many bulbs among the cells (up to four)
          directly above it, below it, to its left and to its right. A black cell B can have any
          number.

        There is a solution; if there are several, any of them is right.

        Output format: {N} lines of {M} characters, without separators: the grid with some W
        replaced by L.
        """

    def prompt(self) -> str:
        return self.fill(grid=lines(self.grid))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": d + 3, "density": x} for x in (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int, density: float) -> Self:
        def draw() -> list[list[str]]:
            N, M = rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)
            return plant(rng, N, M, rng.uniform(0.6, 0.95))

        solution = prefer(draw, lambda cells: any(WHITE in row for row in cells))
        N, M = len(solution), len(solution[0])
        black = [(i, j) for i, row in enumerate(solution) for j, x in enumerate(row) if x == BLACK]
        bulbs = bulbs_of(solution)
        for cell in rng.sample(black, max(1, int(len(black) * density))):
            i, j = cell
            solution[i][j] = str(len(bulbs.intersection(neighbours(N, M, cell))))
        texts = list(map(joined, solution))
        return cls(
            MAX_N_M=MAX_N_M,
            density=density,
            N=N,
            M=M,
            grid=[row.replace(BULB, WHITE) for row in texts],
            reference_answer=lines(texts),
        )

    def parse(self, text: str) -> list[str]:
        return character_rows(text, rows=self.N, columns=self.M)

    def score(self, answer: list[str]) -> float:
        if [row.replace(BULB, WHITE) for row in answer] != self.grid:
            return INVALID
        bulbs = bulbs_of(answer)
        lit = {cell for bulb in bulbs for cell in lit_by(self.grid, bulb)}
        if bulbs & lit or sum(row.count(WHITE) for row in self.grid) != len(bulbs | lit):
            return INVALID
        digits = [
            int(x) == len(bulbs.intersection(neighbours(self.N, self.M, (i, j))))
            for i, row in enumerate(self.grid)
            for j, x in enumerate(row)
            if x not in (WHITE, BLACK)
        ]
        return ratio(sum(digits), len(digits)) ** 10

    def work(self) -> Work[str | None]:
        yield "Decide for each white cell whether it gets a bulb (L) or not (W)."
        open_cells = [row.replace(WHITE, "_") for row in self.grid]

        def fault(rows: list[list[str]], i: int, j: int) -> str | None:
            seen = list(lit_by(self.grid, (i, j)))
            if rows[i][j] == BULB and any(rows[x][y] == BULB for x, y in seen):
                return "a bulb lights it"
            for cell in [(i, j), *seen]:
                sources = [rows[x][y] for x, y in (cell, *lit_by(self.grid, cell))]
                if BULB not in sources and "_" not in sources:
                    return f"nothing could light row {cell[0] + 1}, column {cell[1] + 1}"
            for x, y in neighbours(self.N, self.M, (i, j)):
                if self.grid[x][y].isdigit():
                    around = [rows[a][b] for a, b in neighbours(self.N, self.M, (x, y))]
                    least, digit = around.count(BULB), int(self.grid[x][y])
                    most = least + around.count("_")
                    if not least <= digit <= most:
                        bulbs = counted(least, "bulb")
                        if most < digit:
                            bulbs = f"at most {counted(most, 'bulb')}"
                        return f"the {digit} in row {x + 1}, column {y + 1} would have {bulbs}"
            return None

        rows = yield from fill_grid(open_cells, "_", WHITE + BULB, fault)
        if rows is None:
            return None
        for i, row in enumerate(rows, 1):
            yield f"Row {i}: {joined(row)}"
        return lines(map(joined, rows))


def bulbs_of(cells: Iterable[Iterable[str]]) -> set[Cell]:
    return {(i, j) for i, row in enumerate(cells) for j, x in enumerate(row) if x == BULB}


def lit_by(cells: list[str] | list[list[str]], bulb: Cell) -> Iterator[Cell]:
    """The other cells that a bulb lights."""
    N, M = len(cells), len(cells[0])
    for x, y in SIDES:
        i, j = bulb[0] + x, bulb[1] + y
        while 0 <= i < N and 0 <= j < M and cells[i][j] in (WHITE, BULB):
            yield i, j
            i, j = i + x, j + y


def plant(rng: Random, N: int, M: int, black_share: float) -> list[list[str]]:
    """A grid with random black cells, and bulbs that light the others."""
    count = max(1, min(int(N * M * black_share), N * M - 1))
    numbers = rng.sample(range(N * M), N * M)
    cells = [[WHITE] * M for _ in range(N)]
    for number in numbers[:count]:
        cells[number // M][number % M] = BLACK
    lit: set[Cell] = set()
    for number in numbers[count:]:
        cell = divmod(number, M)
        if cell not in lit:
            lit.update(lit_by(cells, cell))
            cells[cell[0]][cell[1]] = BULB
    return cells
