from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.grids import equal_cells, neighbours, steps_from
from rlve.answers import integer_rows
from rlve.foundation.pictures import Grid
from rlve.levels import grow
from rlve.rewards import ratio
from rlve.sampling.rejection import prefer
from rlve.text import grid as grid_text
from rlve.text import joined, lines
from rlve.work import Work, flood, state


class GridBFS(Environment[list[list[int]]]):
    """For every cell of a grid with walls, give the distance to the nearest marked cell.

    Grids in which no 0 can reach a 1 are redrawn.
    """

    MAX_N_M: int
    N: int
    M: int
    grid: list[list[str]]  # 0, 1 or X
    gold_answer: list[list[int]]
    reference_answer: str

    max_difficulty = 25  # at 35, a prompt exceeds 32,000 characters
    picture = Grid(solid="X", answer="beside")

    template = """
        A grid has {N} rows and {M} columns; each cell holds 0, 1 or X:

        {grid}

        A step goes from a cell up, down, left or right to a cell that shares a side with it and
        does not hold X. Find for each cell the least number of steps from it to a cell that holds
        1. This number is 0 for a cell that holds 1. Write -1 for each cell that holds X, and for
        each cell from which no cell that holds 1 can be reached.

        Output format: {N} lines of {M} integers, separated by spaces: the numbers of the cells, in
        the order of the grid.
        """

    def prompt(self) -> str:
        return self.fill(grid=lines(map(joined, self.grid)))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": grow(4, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        return prefer(
            lambda: cls.draw(rng, MAX_N_M),
            until=lambda drawn: any(max(row) > 0 for row in drawn.gold_answer),
        )

    @classmethod
    def draw(cls, rng: Random, MAX_N_M: int) -> Self:
        N, M = rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)
        weights = [rng.randint(1, N * M) for _ in range(3)]
        grid = [rng.choices("01X", weights, k=M) for _ in range(N)]
        gold = steps_to_ones(grid)
        return cls(
            MAX_N_M=MAX_N_M,
            N=N,
            M=M,
            grid=grid,
            gold_answer=gold,
            reference_answer=grid_text(gold),
        )

    def parse(self, text: str) -> list[list[int]]:
        return integer_rows(text, rows=self.N, columns=self.M)

    def score(self, answer: list[list[int]]) -> float:
        return ratio(equal_cells(answer, self.gold_answer), self.N * self.M) ** 10

    def work(self) -> Work[str]:
        yield "Start from all cells with 1, and go on to their neighbours, step by step."
        yield "Cells are (row, column), counted from 0."
        cells = [(i, j) for i in range(self.N) for j in range(self.M)]
        reached = yield from flood(
            [(i, j) for i, j in cells if self.grid[i][j] == "1"],
            lambda cell: [
                (i, j) for i, j in neighbours(self.N, self.M, cell) if self.grid[i][j] != "X"
            ],
        )
        yield "Cells that were not reached get -1:"
        rows = [[reached.distance.get((i, j), -1) for j in range(self.M)] for i in range(self.N)]
        for i, row in enumerate(rows):
            yield state(f"Row {i}", row)
        return grid_text(rows)


def steps_to_ones(grid: list[list[str]]) -> list[list[int]]:
    N, M = len(grid), len(grid[0])
    ones = [(i, j) for i in range(N) for j in range(M) if grid[i][j] == "1"]
    steps = steps_from(N, M, ones, free=lambda cell: grid[cell[0]][cell[1]] != "X")
    return [[steps.get((i, j), -1) for j in range(M)] for i in range(N)]
