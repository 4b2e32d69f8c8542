from collections import Counter
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.grids import Cell, neighbours, steps_from
from rlve.answers import integer
from rlve.foundation.pictures import Grid
from rlve.levels import grow
from rlve.rewards import exact
from rlve.text import joined, lines
from rlve.work import Work, flood


class GridComponent(Environment[int]):
    """Find the size of the largest connected region of ones in a grid.

    The share of ones has the published wide range, even where almost all ones are connected.
    """

    MAX_N_M: int
    N: int
    M: int
    grid: list[str]
    reference_answer: int

    max_difficulty = 25  # at 35, a prompt exceeds 32,000 characters
    picture = Grid()

    template = """
        A grid has {N} rows and {M} columns; each cell holds 0 or 1:

        {grid}

        Cells that hold 1 form regions: two of them are in the same region if one can be reached
        from the other by steps up, down, left or right over cells that hold 1. How many cells does
        the largest region have? If no cell holds 1, the answer is 0.

        Output format: one integer, the number of cells.
        """

    def prompt(self) -> str:
        return self.fill(grid=lines(self.grid))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": grow(4, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        N, M = rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)
        p = rng.uniform(0.1, 0.9)  # the probability of a one
        grid = [joined(int(rng.random() < p) for _ in range(M)) for _ in range(N)]
        return cls(MAX_N_M=MAX_N_M, N=N, M=M, grid=grid, reference_answer=largest_component(grid))

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield "From each 1 that is in no region yet, go on to neighbours with 1, step by step."
        yield "Cells are (row, column), counted from 0."
        seen: set[Cell] = set()
        sizes = [0]
        for i, row in enumerate(self.grid):
            for j, value in enumerate(row):
                if value == "0" or (i, j) in seen:
                    continue
                region = yield from flood(
                    [(i, j)],
                    lambda cell: [
                        (x, y)
                        for x, y in neighbours(self.N, self.M, cell)
                        if self.grid[x][y] == "1"
                    ],
                )
                seen.update(region.distance)
                waves = Counter(region.distance.values()).values()
                sizes.append(sum(waves))
                counted = f"{' + '.join(map(str, waves))} = " if len(waves) > 1 else ""
                yield f"Size {counted}{sizes[-1]}, largest so far {max(sizes)}"
        if not seen:
            yield "No cell holds 1"
        yield f"So the largest size is {max(sizes)}"
        return str(max(sizes))


def largest_component(grid: list[str]) -> int:
    N, M = len(grid), len(grid[0])

    def is_one(cell: Cell) -> bool:
        return grid[cell[0]][cell[1]] == "1"

    seen: set[Cell] = set()
    largest = 0
    for i in range(N):
        for j in range(M):
            if is_one((i, j)) and (i, j) not in seen:
                component = steps_from(N, M, [(i, j)], is_one)
                seen.update(component)
                largest = max(largest, len(component))
    return largest
