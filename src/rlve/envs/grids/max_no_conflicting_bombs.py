from collections.abc import Iterable, Sequence
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.grids import Cell
from rlve.algorithms.matchings import bipartite_matching
from rlve.answers import character_rows
from rlve.foundation.pictures import Grid
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.text import joined, lines

BLOCK, NEUTRAL, PLACE, BOMB = "#", "x", "*", "B"


class MaxNoConflictingBombs(Environment[list[str]]):
    """Place as many bombs as possible so that no two see each other along a row or column.

    Grids with no room for a bomb are redrawn.
    """

    MAX_N_M: int
    N: int
    M: int
    grid: list[list[str] | str]  # records may have rows as strings
    gold_answer: int  # the largest number of bombs

    max_difficulty = 35  # at 42, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Grid(answer="grid")

    template = """
        A grid has {N} rows and {M} columns; each cell holds #, x or *:

        {grid}

        Replace some of the * by B, such that between any two B in the same row, and between any two
        B in the same column, there is at least one #. An x or a * between them does not suffice.
        All other cells stay as they are. Replace as many * as possible.
        If several ways are best, any of them is right.

        Output format: {N} lines of {M} characters, without separators: the grid after the
        replacements.
        """

    def prompt(self) -> str:
        return self.fill(grid=lines(map(joined, self.grid)))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        def draw() -> list[list[str] | str]:
            N, M = rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)
            weights = [rng.randint(1, N * M) for _ in range(3)]
            return [rng.choices((BLOCK, NEUTRAL, PLACE), weights, k=M) for _ in range(N)]

        grid = prefer(draw, until=lambda rows: any(PLACE in row for row in rows))
        return cls(
            MAX_N_M=MAX_N_M,
            N=len(grid),
            M=len(grid[0]),
            grid=grid,
            gold_answer=len(most_bombs(grid)),
        )

    def parse(self, text: str) -> list[str]:
        return character_rows(text, rows=self.N, columns=self.M)

    def score(self, answer: list[str]) -> float:
        for row, given in zip(answer, self.grid, strict=True):
            if any(x != y and (x, y) != (BOMB, PLACE) for x, y in zip(row, given, strict=True)):
                return INVALID
        if any(has_conflict(line) for line in (*answer, *zip(*answer, strict=True))):
            return INVALID
        return ratio(sum(row.count(BOMB) for row in answer), self.gold_answer) ** 3

    def reference(self) -> str:
        rows = [list(row) for row in self.grid]
        for i, j in most_bombs(self.grid):
            rows[i][j] = BOMB
        return lines(map(joined, rows))


def has_conflict(line: Iterable[str]) -> bool:
    """Whether there are two bombs without a block between them."""
    seen = False
    for cell in line:
        if cell == BOMB and seen:
            return True
        seen = cell != BLOCK and (seen or cell == BOMB)
    return False


def most_bombs(grid: Sequence[Sequence[str]]) -> list[Cell]:
    """A bomb takes up one segment of a row and one of a column: a largest matching of segments."""
    across = [segments(row) for row in grid]
    down = [segments(column) for column in zip(*grid, strict=True)]
    near: dict[Cell, dict[Cell, Cell]] = {}  # by both segments, a cell in them
    for i, row in enumerate(grid):
        for j, cell in enumerate(row):
            if cell == PLACE:
                near.setdefault((i, across[i][j]), {})[j, down[j][i]] = i, j
    numbers = {
        segment: k for k, segment in enumerate({x: 0 for ends in near.values() for x in ends})
    }
    partners = bipartite_matching(
        [[numbers[segment] for segment in ends] for ends in near.values()], len(numbers)
    )
    columns = list(numbers)
    return [
        ends[columns[partner]]
        for ends, partner in zip(near.values(), partners, strict=True)
        if partner is not None
    ]


def segments(line: Iterable[str]) -> list[int]:
    """For each cell, the number of blocks before it."""
    counts: list[int] = []
    blocks = 0
    for cell in line:
        counts.append(blocks)
        blocks += cell == BLOCK
    return counts
