from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.flows import Network
from rlve.answers import integer
from rlve.foundation.pictures import Grid
from rlve.rewards import exact
from rlve.text import grid as grid_text
from rlve.work import Work


class MaxGridPathIntersection(Environment[int]):
    """Find the most that K walks across a grid can collect, counting each cell once."""

    N: int
    K: int  # number of walks
    grid: list[list[int]]
    reference_answer: int

    max_difficulty = 40  # at 50, generating a problem takes too long
    picture = Grid()

    template = """
        A grid has {N} rows and {N} columns of integers:

        {grid}

        A walk leads from the top left cell to the bottom right cell; each step goes one cell right
        or one cell down. It collects the value of every cell on its way, including the first and
        the last one. Once a value is collected, it is 0 for all later walks.

        The number of walks is {K}. Find the largest total that can be collected.

        Output format: one integer, the largest total.
        """

    def prompt(self) -> str:
        return self.fill(grid=grid_text(self.grid))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": d + 3}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        K = rng.randint(1, N // 2)
        grid = [[rng.randint(0, N) for _ in range(N)] for _ in range(N)]
        return cls(N=N, K=K, grid=grid, reference_answer=most_collected(grid, K))

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str | None]:
        if self.K > 1:  # several walks at once take more than a table
            return None
        yield "The most up to a cell is its value plus the larger of two numbers: the most up to"
        yield "the cell above and the most up to the cell on its left."
        above: list[int] = []
        for i, row in enumerate(self.grid):
            best: list[int] = []
            written: list[str] = []
            for j, value in enumerate(row):
                before = [*above[j : j + 1], *best[-1:]]
                best.append(value + max(before, default=0))
                if len(before) == 2:
                    written.append(f"max({before[0]}, {before[1]}) + {value} = {best[-1]}")
                else:
                    written.append(f"{before[0]} + {value} = {best[-1]}" if before else str(value))
            yield f"Row {i}: {'; '.join(written)}"
            above = best
        yield f"So the most is {above[-1]}"
        return str(above[-1])


def most_collected(grid: list[list[int]], K: int) -> int:
    """A cheapest flow of K walks: a visit to a cell costs `highest` minus the value it collects.

    All walks have 2 * N - 1 cells, so their cost tells what they collect.
    """
    N = len(grid)
    highest = max(map(max, grid))
    network = Network(2 * N * N + 1)  # cell number c is entered at 2 * c and left at 2 * c + 1
    source, sink = 2 * N * N, 2 * N * N - 1
    network.add(source, 0, K)
    for i in range(N):
        for j in range(N):
            cell = i * N + j
            network.add(2 * cell, 2 * cell + 1, 1, highest - grid[i][j])
            network.add(2 * cell, 2 * cell + 1, K - 1, highest)
            if j + 1 < N:
                network.add(2 * cell + 1, 2 * (cell + 1), K)
            if i + 1 < N:
                network.add(2 * cell + 1, 2 * (cell + N), K)
    return K * (2 * N - 1) * highest - network.send_cheapest(source, sink).cost
