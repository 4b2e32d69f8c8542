from random import Random
from typing import Self, TypeAlias

from rlve import Environment, Level
from rlve.algorithms.grids import equal_cells
from rlve.answers import integer, text_lines
from rlve.errors import Unparseable
from rlve.foundation.pictures import Grid
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import redraw
from rlve.text import grid, lines, spaced

Action: TypeAlias = tuple[str, int, int]  # row or column, which one, and by how much it is shifted

ROW, COLUMN = "row", "column"


class NinePuzzle(Environment[list[Action]]):
    """Shift rows and columns of a grid cyclically until it matches another given grid.

    Planted actions that together change nothing are redrawn.
    """

    MAX_N_M: int
    steps: int  # the number of planted actions
    N: int
    M: int
    row_K: int  # how far a row can be shifted
    col_K: int
    start_grid: list[list[int]]
    destination_grid: list[list[int]]
    reference_answer: str

    max_difficulty = 70  # at 85, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = (Grid("start_grid"), Grid("destination_grid"))

    template = """
        Here is a grid of {N} rows and {M} columns. Both are numbered from 0, from top to bottom and
        from left to right:

        {start_grid}

        There are two kinds of actions:
        - row i s: shift row i cyclically by s places, where -{row_K} <= s <= {row_K}. A positive s
          shifts to the right, a negative one to the left. Numbers that leave the row at one end
          come back at the other.
        - column j s: shift column j cyclically by s places, where -{col_K} <= s <= {col_K}. A
          positive s shifts down, a negative one up. Numbers that leave the column at one end come
          back at the other.

        Find a sequence of actions, of any length, that turns the grid into this one:

        {destination_grid}

        There is such a sequence; any of them is right. If no action is needed, the answer is empty.

        Output format: one action per line, in the order of execution, written as above with numbers
        in place of i, j and s. For example:

        row 0 1
        column 1 -1
        """

    def prompt(self) -> str:
        return self.fill(
            start_grid=grid(self.start_grid), destination_grid=grid(self.destination_grid)
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": d + 3, "steps": steps} for steps in range(2, 11)]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int, steps: int) -> Self:
        N, M = rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)
        row_K, col_K = rng.randint(1, M - 1), rng.randint(1, N - 1)
        values = rng.sample(range(N * M), N * M)
        start = [values[i * M : i * M + M] for i in range(N)]

        def action() -> Action:
            kind, count, furthest = rng.choice(((ROW, N, row_K), (COLUMN, M, col_K)))
            return kind, rng.randrange(count), rng.choice((1, -1)) * rng.randint(1, furthest)

        actions = redraw(
            lambda: [action() for _ in range(steps)],
            until=lambda actions: shifted(start, actions) != start,
        )
        return cls(
            MAX_N_M=MAX_N_M,
            steps=steps,
            N=N,
            M=M,
            row_K=row_K,
            col_K=col_K,
            start_grid=start,
            destination_grid=shifted(start, actions),
            reference_answer=lines(map(spaced, actions)),
        )

    def parse(self, text: str) -> list[Action]:
        actions: list[Action] = []
        for line in text_lines(text):
            kind, *numbers = line.split()
            if kind not in (ROW, COLUMN) or len(numbers) != 2:
                raise Unparseable(f"not an action: {line[:40]!r}")
            index, shift = map(integer, numbers)
            actions.append((kind, index, shift))
        return actions

    def score(self, answer: list[Action]) -> float:
        limits = {ROW: (self.N, self.row_K), COLUMN: (self.M, self.col_K)}
        for kind, index, shift in answer:
            count, furthest = limits[kind]
            if not (0 <= index < count and abs(shift) <= furthest):
                return INVALID
        final = shifted(self.start_grid, answer)
        return ratio(equal_cells(final, self.destination_grid), self.N * self.M) ** 10


def shifted(start: list[list[int]], actions: list[Action]) -> list[list[int]]:
    """The grid after these actions; no shift is longer than its row or column."""
    rows = [list(row) for row in start]
    for kind, index, shift in actions:
        if kind == ROW:
            row = rows[index]
            row[:] = row[-shift:] + row[:-shift]
        else:
            column = [row[index] for row in rows]
            for row, value in zip(rows, column[-shift:] + column[:-shift], strict=True):
                row[index] = value
    return rows
