from collections.abc import Iterable, Sequence
from random import Random
from typing import Self, TypeAlias

from rlve import Level
from rlve.algorithms.grids import neighbours
from rlve.answers import integers
from rlve.dialogue import Dialogue, Player
from rlve.rewards import RIGHT
from rlve.sampling.rejection import redraw
from rlve.text import grid, spaced

Cell: TypeAlias = tuple[int, int]


class LightsOut(Dialogue[Cell]):
    """Switch off all lights of a grid, where each switch also changes the lights around it."""

    N: int
    presses: list[Cell]  # that switch all lights off; rows and columns are counted from 0

    template = """
        Each cell of a grid of {N} rows and {N} columns has a light that is on (1) or off (0):

        {lights}

        Pressing a cell changes its own light and those of the cells above, below, left and right
        of it. Rows and columns are numbered from 1 to {N}. Switch all lights off to win.

        Output format: two integers, the row and the column of the cell to press, such as `1 3`.
        """

    def opening(self) -> str:
        return self.fill(lights=shown(self.N, lit(self.N, self.presses)))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d // 3, "presses": 2 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int, presses: int) -> Self:
        cells = [(r, c) for r in range(N) for c in range(N)]
        drawn = redraw(lambda: rng.sample(cells, presses), lambda chosen: bool(lit(N, chosen)))
        return cls(N=N, presses=drawn)

    @property
    def turns(self) -> int:
        return len(self.presses) + len(self.presses) // 4 + 1  # with room for a few mistakes

    def parse(self, text: str) -> Cell:
        row, column = integers(text, count=2)
        return row - 1, column - 1

    def reply(self, moves: Sequence[Cell]) -> str | float:
        inside = [cell for cell in moves if all(0 <= x < self.N for x in cell)]
        on = lit(self.N, [*self.presses, *inside])
        if not on and moves[-1] in inside:
            return RIGHT
        if moves[-1] not in inside:
            return f"Not allowed: rows and columns are numbered from 1 to {self.N}."
        return shown(self.N, on)

    def play(self) -> Player:
        """Each press undoes itself, and the order does not matter."""
        for row, column in self.presses:
            yield spaced((row + 1, column + 1))


def lit(N: int, presses: Iterable[Cell]) -> set[Cell]:
    """The lights that are on after these presses, if all were off."""
    on: set[Cell] = set()
    for cell in presses:
        on ^= {cell, *neighbours(N, N, cell)}
    return on


def shown(N: int, on: set[Cell]) -> str:
    return grid([int((r, c) in on) for c in range(N)] for r in range(N))
