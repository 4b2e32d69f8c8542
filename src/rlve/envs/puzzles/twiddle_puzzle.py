from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.grids import Cell, equal_cells
from rlve.answers import integer_rows, pairs
from rlve.foundation.pictures import Grid
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import redraw
from rlve.text import grid

MAX_MOVES = 1000  # a move can turn hundreds of cells


class TwiddlePuzzle(Environment[list[Cell]]):
    """Rotate square blocks of a grid until it matches another given grid.

    Planted moves that together change nothing are redrawn, along with the grid: if a block is the
    whole grid, four moves always change nothing. More than 1,000 moves are invalid.
    """

    MAX_N_M: int
    steps: int  # the number of planted moves
    N: int
    M: int
    K: int  # the side of a block
    start_grid: list[list[int]]
    destination_grid: list[list[int]]
    reference_answer: str

    max_difficulty = 90  # at 110, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = (Grid("start_grid"), Grid("destination_grid"))

    template = """
        Here is a grid of {N} rows and {M} columns. Both are numbered from 0, from top to bottom and
        from left to right:

        {start_grid}

        A move (i, j) rotates the block of {K} x {K} cells whose top left cell is in row i and
        column j by 90 degrees counterclockwise; the block must lie in the grid. The number in row
        i + x and column j + y goes to row i + {last} - y and column j + x. (A block of 2 x 2 cells
        with the rows 1 2 and 3 4 would get the rows 2 4 and 1 3.)

        Find a sequence of at most {most} moves that turns the grid into this one:

        {destination_grid}

        There is such a sequence; if there are several, any of them is right.

        Output format: one move per line, in the order of execution, as the two integers i and j
        separated by a space.
        """

    def prompt(self) -> str:
        return self.fill(
            start_grid=grid(self.start_grid),
            last=self.K - 1,
            most=f"{MAX_MOVES:,}",
            destination_grid=grid(self.destination_grid),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": d + 3, "steps": steps} for steps in range(2, 11)]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int, steps: int) -> Self:
        def draw() -> Self:
            N, M = rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)
            K = rng.randint(2, min(N, M))
            values = rng.sample(range(N * M), N * M)
            start = [values[i * M : i * M + M] for i in range(N)]
            moves = [(rng.randint(0, N - K), rng.randint(0, M - K)) for _ in range(steps)]
            return cls(
                MAX_N_M=MAX_N_M,
                steps=steps,
                N=N,
                M=M,
                K=K,
                start_grid=start,
                destination_grid=rotated(start, K, moves),
                reference_answer=grid(moves),
            )

        return redraw(draw, until=lambda problem: problem.start_grid != problem.destination_grid)

    def parse(self, text: str) -> list[Cell]:
        return [pair for row in integer_rows(text, columns=2) for pair in pairs(row)]

    def score(self, answer: list[Cell]) -> float:
        last_i, last_j = self.N - self.K, self.M - self.K
        if len(answer) > MAX_MOVES:
            return INVALID
        if not all(0 <= i <= last_i and 0 <= j <= last_j for i, j in answer):
            return INVALID
        final = rotated(self.start_grid, self.K, answer)
        return ratio(equal_cells(final, self.destination_grid), self.N * self.M) ** 5


def rotated(start: list[list[int]], K: int, moves: list[Cell]) -> list[list[int]]:
    """The grid after these moves."""
    rows = [list(row) for row in start]
    for i, j in moves:
        block = [row[j : j + K] for row in rows[i : i + K]]
        for x, column in enumerate(reversed(list(zip(*block, strict=True)))):
            rows[i + x][j : j + K] = column
    return rows
