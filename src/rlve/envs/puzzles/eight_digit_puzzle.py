from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.grids import Cell, equal_cells
from rlve.errors import Unparseable
from rlve.foundation.pictures import Grid
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import redraw
from rlve.text import grid, joined

MOVES: dict[str, Cell] = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}
MOST = 10_000  # moves of an answer
OPPOSITE = {"U": "D", "D": "U", "L": "R", "R": "L"}


class EightDigitPuzzle(Environment[str]):
    """Slide the tiles of a grid until it matches another given grid.

    A planted move never undoes the one before it, and the moves together change the grid.
    """

    MAX_N_M: int
    steps: int  # the number of planted moves
    N: int
    M: int
    start_grid: list[list[int]]
    zero_i: int
    zero_j: int
    destination_grid: list[list[int]]
    reference_answer: str

    max_difficulty = 80  # at 95, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = (Grid("start_grid", blank="0"), Grid("destination_grid", blank="0"))

    template = """
        Here is a grid of {N} rows and {M} columns with the numbers from 0 to {last}:

        {start_grid}

        A move exchanges 0 with a number next to it: U with the number above it, D with the number
        below it, L with the number to its left, R with the number to its right. So the letter is
        the direction in which 0 moves; 0 must not leave the grid.

        Find a sequence of at most {most} moves that leads to this grid:

        {destination_grid}

        Output format: one line with the letters of the moves in the order of execution, without
        separators. For example, UUL means: up, up, left.
        """

    def prompt(self) -> str:
        return self.fill(
            last=self.N * self.M - 1,
            most=f"{MOST:,}",
            start_grid=grid(self.start_grid),
            destination_grid=grid(self.destination_grid),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": d + 3, "steps": steps} for steps in (2, 3, 5, 10, 15, 20, 25, 30)]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int, steps: int) -> Self:
        N, M = rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)
        values = rng.sample(range(N * M), N * M)
        start = [values[i * M : i * M + M] for i in range(N)]
        zero = divmod(values.index(0), M)
        moves, destination = redraw(
            lambda: walk(rng, start, zero, steps), until=lambda walked: walked[1] != start
        )
        return cls(
            MAX_N_M=MAX_N_M,
            steps=steps,
            N=N,
            M=M,
            start_grid=start,
            zero_i=zero[0],
            zero_j=zero[1],
            destination_grid=destination,
            reference_answer=moves,
        )

    def parse(self, text: str) -> str:
        """The moves up to the first that leaves the grid, if one does; the rest is not read."""
        if len(text) > MOST:
            raise Unparseable(f"{len(text):,} moves, more than {MOST:,}")
        i, j = self.zero_i, self.zero_j
        for count, letter in enumerate(text, 1):
            if letter not in MOVES:
                raise Unparseable(f"move {count} is none of U, D, L and R")
            x, y = MOVES[letter]
            i, j = i + x, j + y
            if not (0 <= i < self.N and 0 <= j < self.M):
                return text[:count]
        return text

    def score(self, answer: str) -> float:
        cells = [list(row) for row in self.start_grid]
        i, j = self.zero_i, self.zero_j
        for letter in answer:
            x, y = MOVES[letter]
            if not (0 <= i + x < self.N and 0 <= j + y < self.M):
                return INVALID
            cells[i][j], cells[i + x][j + y] = cells[i + x][j + y], cells[i][j]
            i, j = i + x, j + y
        return ratio(equal_cells(cells, self.destination_grid), self.N * self.M) ** 10


def walk(
    rng: Random, start: list[list[int]], zero: Cell, steps: int
) -> tuple[str, list[list[int]]]:
    """Random moves of 0, some directions likelier than others, and the grid they lead to."""
    cells = [list(row) for row in start]
    N, M = len(cells), len(cells[0])
    weights = {move: rng.randint(1, N * M) for move in MOVES}
    moves: list[str] = []
    i, j = zero
    for _ in range(steps):
        possible = [
            move
            for move, (x, y) in MOVES.items()
            if 0 <= i + x < N and 0 <= j + y < M and moves[-1:] != [OPPOSITE[move]]
        ]
        (move,) = rng.choices(possible, [weights[move] for move in possible])
        x, y = MOVES[move]
        cells[i][j], cells[i + x][j + y] = cells[i + x][j + y], cells[i][j]
        i, j = i + x, j + y
        moves.append(move)
    return joined(moves), cells
