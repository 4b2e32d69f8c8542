from collections.abc import Mapping
from itertools import pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import character_rows
from rlve.foundation.pictures import Grid
from rlve.rewards import INVALID, WRONG, exact
from rlve.sampling.rejection import redraw
from rlve.text import joined, lines
from rlve.work import Work, deduce, state

BLOCKED, FREE, STAR = "X", ".", "*"


class StarBattle(Environment[list[str]]):
    """Place one star in each row of a grid so that no two touch.

    Any placement that obeys the rules is right; there can be several.
    """

    MAX_N_M: int
    sparsity: float  # the share of cells without planted stars that are blocked
    N: int
    M: int
    grid: list[list[str]]
    reference_answer: str

    max_difficulty = 200  # at 270, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Grid(solid="X", answer="grid")

    template = """
        Here is a grid of {N} rows and {M} columns. X marks a blocked cell, . marks a free one:

        {grid}

        Place stars, written *, in some of the free cells, such that
        - each row contains exactly one star;
        - each column contains at most one star;
        - no two stars are next to each other horizontally, vertically or diagonally.

        There is a solution; if there are several, any of them is right.

        Output format: {N} lines of {M} characters X, . or *, without separators: the grid with some
        . replaced by *.
        """

    def prompt(self) -> str:
        return self.fill(grid=lines(map(joined, self.grid)))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        shares = (0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9)
        return [{"MAX_N_M": d + 4, "sparsity": sparsity} for sparsity in shares]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int, sparsity: float) -> Self:
        def draw() -> tuple[int, list[int]]:
            N = rng.randint(2, MAX_N_M)
            M = rng.randint(max(3, N), MAX_N_M)
            return M, rng.sample(range(M), N)

        M, stars = redraw(draw, until=lambda drawn: are_apart(drawn[1]))
        N = len(stars)
        cells = [[FREE] * M for _ in range(N)]
        others = [(i, j) for i in range(N) for j in range(M) if j != stars[i]]
        for i, j in rng.sample(others, max(1, int(len(others) * sparsity))):
            cells[i][j] = BLOCKED
        solution = [list(row) for row in cells]
        for row, j in zip(solution, stars, strict=True):
            row[j] = STAR
        return cls(
            MAX_N_M=MAX_N_M,
            sparsity=sparsity,
            N=N,
            M=M,
            grid=cells,
            reference_answer=lines(map(joined, solution)),
        )

    def parse(self, text: str) -> list[str]:
        return character_rows(text, rows=self.N, columns=self.M, characters=BLOCKED + FREE + STAR)

    def score(self, answer: list[str]) -> float:
        if [row.replace(STAR, FREE) for row in answer] != list(map(joined, self.grid)):
            return INVALID
        if any(row.count(STAR) != 1 for row in answer):
            return WRONG
        stars = [row.index(STAR) for row in answer]
        return exact(len(set(stars)) == self.N and are_apart(stars))

    def work(self) -> Work[str | None]:
        yield "Find the column of the star in each row; rows and columns count from 1."
        free = [[j for j, x in enumerate(row, 1) if x == FREE] for row in self.grid]
        for i, columns in enumerate(free, 1):
            yield state(f"Free in row {i}", columns)

        def conflict(stars: Mapping[int, int], row: int, column: int) -> str | None:
            for other, taken in stars.items():
                if column == taken:
                    return f"star in row {other}"
                if abs(row - other) == 1 == abs(column - taken):
                    return f"next to the star in row {other}"
            return None

        stars = yield from deduce(
            range(1, self.N + 1),
            lambda row: free[row - 1],
            conflict,
            name=lambda row: f"Row {row}",
            show=lambda stars: state("Stars", (stars.get(i, "_") for i in range(1, self.N + 1))),
        )
        if stars is None:
            return None
        for row, cells in enumerate(self.grid, 1):
            yield f"Row {row}: {drawn(cells, stars[row])}"
        return lines(drawn(cells, stars[row]) for row, cells in enumerate(self.grid, 1))


def are_apart(columns: list[int]) -> bool:
    """Whether stars in these columns, one per row, do not touch those in the next row."""
    return all(abs(a - b) > 1 for a, b in pairwise(columns))


def drawn(cells: list[str], column: int) -> str:
    """A row with a star in a column, counted from 1."""
    return joined(STAR if j == column else x for j, x in enumerate(cells, 1))
