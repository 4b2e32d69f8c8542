from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.dominating_sets import cheapest_dominating_set, least_dominating_cost
from rlve.algorithms.grids import Cell, neighbours
from rlve.answers import integer_rows, pairs
from rlve.errors import Unparseable
from rlve.foundation.pictures import Grid
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import redraw
from rlve.text import grid
from rlve.work import Work, find_cover

NOT_DOMINATED = -0.2
MOST_WIDTH = 18


class Minimum_DominatingSet_Grid(Environment[list[Cell]]):
    """Choose cells of least total cost so that every cell is chosen or beside a chosen one.

    Grids with more than 18 rows and more than 18 columns take too long to solve and are redrawn:
    there are none below difficulty 16, and 5% at difficulty 20.
    """

    MAX_N_M: int
    N: int
    M: int
    F: list[list[int]]
    gold_answer: int  # the least total cost

    max_difficulty = 60  # at 72, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Grid("F", first=1, answer="cells")

    template = """
        A grid has {N} rows, numbered from 1 to {N}, and {M} columns, numbered from 1 to {M}. The
        costs of its cells:

        {F}

        Choose some cells such that each cell of the grid is chosen or shares a side with at least
        one chosen cell. Make the total cost of the chosen cells as small as possible.
        If several choices are best, any of them is right.

        Output format: one line for each chosen cell, with its row and its column, separated by a
        space. The cells can be in any order.
        """

    def prompt(self) -> str:
        return self.fill(F=grid(self.F))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": d + 3}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        N, M = redraw(
            lambda: (rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)),
            until=lambda sides: min(sides) <= MOST_WIDTH,
        )
        F = [[rng.randint(1, N * M) for _ in range(M)] for _ in range(N)]
        return cls(MAX_N_M=MAX_N_M, N=N, M=M, F=F, gold_answer=least_dominating_cost(F))

    def parse(self, text: str) -> list[Cell]:
        rows = integer_rows(text)
        if any(len(row) != 2 for row in rows):
            raise Unparseable("a line that does not have two integers")
        return pairs([number for row in rows for number in row])

    def score(self, answer: list[Cell]) -> float:
        chosen = {(i - 1, j - 1) for i, j in answer}
        if len(chosen) < len(answer):
            return INVALID
        if not all(0 <= i < self.N and 0 <= j < self.M for i, j in chosen):
            return INVALID
        beside = {x for cell in chosen for x in neighbours(self.N, self.M, cell)}
        if len(chosen | beside) < self.N * self.M:
            return NOT_DOMINATED
        return ratio(self.gold_answer, sum(self.F[i][j] for i, j in chosen)) ** 5

    def reference(self) -> str:
        return grid((i + 1, j + 1) for i, j in cheapest_dominating_set(self.F))

    def work(self) -> Work[str]:
        yield "Each cell (row, column) must be served: by itself or one that shares a side with it."
        costs = {(i, j): cost for i, row in enumerate(self.F, 1) for j, cost in enumerate(row, 1)}
        needs = {
            str(cell): [
                other for other in costs if abs(other[0] - cell[0]) + abs(other[1] - cell[1]) <= 1
            ]
            for cell in costs
        }
        return grid((yield from find_cover(needs, costs)))
