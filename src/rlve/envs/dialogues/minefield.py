from collections.abc import Iterator, Sequence
from random import Random
from typing import Self, TypeAlias

from rlve import Level
from rlve.algorithms.grids import neighbours
from rlve.answers import integers
from rlve.dialogue import Dialogue, Ending, Player
from rlve.foundation.pictures import Grid
from rlve.rewards import RIGHT, WRONG
from rlve.sampling.rejection import redraw
from rlve.text import grid, spaced

Cell: TypeAlias = tuple[int, int]
AROUND = tuple((i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
HIDDEN = "?"


class Minefield(Dialogue[Cell]):
    """Open all cells of a minefield that are safe; no guess is ever needed."""

    N: int
    mines: list[Cell]  # rows and columns are counted from 0
    start: Cell

    picture = Grid(None, columns="N", signs=(("start", "0"),))

    template = """
        Some cells of a grid of {N} rows and {N} columns hold mines, {count} in all. Open every cell
        without a mine, and none with one: opening a mine ends the dialogue. For an open cell the
        grid shows how many of the up to eight cells around it hold mines; around a 0, the cells are
        opened for you. Cells that are not open are shown as `?`. Rows and columns are numbered from
        1 to {N}. You never need to guess. This is the grid:

        {grid}

        Output format: two integers, the row and the column of the cell to open, such as `1 3`.
        """

    def opening(self) -> str:
        shown = self.shown(opened(self.N, self.mines, [self.start]))
        return self.fill(count=len(self.mines), grid=shown)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = 4 + d // 2
        return [{"N": N, "mines": max(2, N * N * (12 + d) // 100)}]

    @classmethod
    def sample(cls, rng: Random, N: int, mines: int) -> Self:
        def draw() -> Self:
            start = rng.randrange(N), rng.randrange(N)
            near = {start, *neighbours(N, N, start, AROUND)}
            free = [(r, c) for r in range(N) for c in range(N) if (r, c) not in near]
            placed = rng.sample(free, min(mines, len(free)))
            # Where reasoning ends, there is a mine too many: without it, there is more to see.
            while left := _stuck(N, placed, start):
                placed.remove(left)
            return cls(N=N, mines=sorted(placed), start=start)

        return redraw(draw, lambda problem: problem.turns >= N // 2)

    @property
    def turns(self) -> int:
        return self.N**2 - len(self.mines) - len(opened(self.N, self.mines, [self.start]))

    def parse(self, text: str) -> Cell:
        row, column = integers(text, count=2)
        return row - 1, column - 1

    def reply(self, moves: Sequence[Cell]) -> str | float | Ending:
        if moves[-1] in self.mines:
            row, column = moves[-1]
            return Ending(WRONG, f"There is a mine in row {row + 1}, column {column + 1}.")
        inside = [cell for cell in moves if all(0 <= x < self.N for x in cell)]
        open_cells = opened(self.N, self.mines, [self.start, *inside])
        if len(open_cells) + len(self.mines) == self.N**2:
            return RIGHT
        if moves[-1] not in inside:
            return f"Not allowed: rows and columns are numbered from 1 to {self.N}."
        return self.shown(open_cells)

    def shown(self, open_cells: dict[Cell, int]) -> str:
        cells = range(self.N)
        return grid([open_cells.get((r, c), HIDDEN) for c in cells] for r in cells)

    def play(self) -> Player:
        """Open what must be safe."""
        known = opened(self.N, self.mines, [self.start])
        while True:
            for row, column in list(deduced(self.N, known)[0]):
                if (row, column) in known:
                    continue
                said = yield spaced((row + 1, column + 1))
                for r, line in enumerate(said.splitlines()):
                    known |= {(r, c): int(x) for c, x in enumerate(line.split()) if x != HIDDEN}


def opened(N: int, mines: Sequence[Cell], cells: Sequence[Cell]) -> dict[Cell, int]:
    """The open cells after these were opened, each with the number of mines around it."""
    hidden = set(mines)
    found: dict[Cell, int] = {}
    pending = list(cells)
    while pending:
        cell = pending.pop()
        if cell not in found:
            near = neighbours(N, N, cell, AROUND)
            found[cell] = sum(other in hidden for other in near)
            if not found[cell]:
                pending += near
    return found


def deduced(N: int, known: dict[Cell, int]) -> tuple[set[Cell], set[Cell]]:
    """Cells that must be safe and that must be mines, from one or two open cells at a time."""
    safe: set[Cell] = set()
    mined: set[Cell] = set()
    while True:
        before = len(safe), len(mined)
        facts = list(dict.fromkeys(_facts(N, known, safe, mined)))
        for cells, count in facts:
            if count in (0, len(cells)):
                (mined if count else safe).update(cells)
        if (len(safe), len(mined)) == before:
            for cells, count in facts:
                for others, more in facts:
                    if cells & others and more - count == len(others - cells) > 0:
                        mined |= others - cells
                        safe |= cells - others
                    elif cells < others and more == count:
                        safe |= others - cells
        if (len(safe), len(mined)) == before:
            return safe, mined


def _facts(
    N: int, known: dict[Cell, int], safe: set[Cell], mined: set[Cell]
) -> Iterator[tuple[frozenset[Cell], int]]:
    """Sets of cells that are not open, each with its number of mines."""
    for cell, count in known.items():
        near = [other for other in neighbours(N, N, cell, AROUND) if other not in known]
        rest = frozenset(near) - safe - mined
        if rest:
            yield rest, count - sum(other in mined for other in near)


def _stuck(N: int, mines: list[Cell], start: Cell) -> Cell | None:
    """A mine at the edge of what reasoning opens, or None if it opens all that is safe."""
    cells = [start]
    while True:
        known = opened(N, mines, cells)
        if len(known) + len(mines) == N * N:
            return None
        safe = sorted(deduced(N, known)[0])
        if not safe:
            edge = {other for cell in known for other in neighbours(N, N, cell, AROUND)}
            return next((mine for mine in mines if mine in edge), mines[0])
        cells += safe
