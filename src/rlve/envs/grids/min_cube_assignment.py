from itertools import pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.close_values import cheapest_close_values
from rlve.answers import integer_rows
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import redraw
from rlve.text import grid, lines, spaced

MOST_CHARACTERS = 31_000


class MinCubeAssignment(Environment[list[list[int]]]):
    """Give each cell of a grid a value at least cost, with neighbours differing by at most D.

    Sizes with more costs than a prompt can show are redrawn; they are rare up to difficulty 20.
    """

    MAX_P_Q_R: int
    P: int
    Q: int
    R: int
    costs: list[list[list[int]]]  # costs[i][j][v]
    D: int
    gold_answer: int  # the least total cost

    max_difficulty = 350  # at 420, no problem is found
    unique_up_to = None  # several answers can be right

    template = """
        Give each cell (i, j) of a grid with {P} rows, i = 0 to {last_row}, and {Q} columns, j = 0
        to {last_column}, an integer value from 0 to {last_value}. The values of two cells that
        share a side must not differ by more than {D}.

        Each value of a cell has a cost. A line below begins with a cell (i, j) and lists the costs
        of its values from 0 to {last_value}, in this order:

        {costs}

        Make the total cost of all cells as small as possible.
        If several ways are best, any of them is right.

        Output format: {P} lines of {Q} integers, separated by spaces: the values of the cells, one
        line for each row.
        """

    def prompt(self) -> str:
        return self.fill(
            last_row=self.P - 1,
            last_column=self.Q - 1,
            last_value=self.R - 1,
            costs=lines(
                f"({i}, {j}): {spaced(costs)}"
                for i, row in enumerate(self.costs)
                for j, costs in enumerate(row)
            ),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_P_Q_R": d + 2}]

    @classmethod
    def sample(cls, rng: Random, MAX_P_Q_R: int) -> Self:
        P, Q, R = redraw(
            lambda: [rng.randint(2, MAX_P_Q_R) for _ in range(3)],
            until=lambda sizes: characters(*sizes) <= MOST_CHARACTERS,
        )
        costs = [[[rng.randint(1, P * Q) for _ in range(R)] for _ in range(Q)] for _ in range(P)]
        D = rng.randint(0, R - 1)
        gold = total_cost(costs, cheapest_close_values(costs, D))
        return cls(MAX_P_Q_R=MAX_P_Q_R, P=P, Q=Q, R=R, costs=costs, D=D, gold_answer=gold)

    def parse(self, text: str) -> list[list[int]]:
        return integer_rows(text)

    def score(self, answer: list[list[int]]) -> float:
        if len(answer) != self.P or any(len(row) != self.Q for row in answer):
            return INVALID
        if not all(0 <= value < self.R for row in answer for value in row):
            return INVALID
        for line in (*answer, *zip(*answer, strict=True)):
            if any(abs(x - y) > self.D for x, y in pairwise(line)):
                return INVALID
        return ratio(self.gold_answer, total_cost(self.costs, answer)) ** 5

    def reference(self) -> str:
        return grid(cheapest_close_values(self.costs, self.D))


def characters(P: int, Q: int, R: int) -> int:
    """An upper bound on the length of the lines with the costs."""
    cell, cost = len(f"({P}, {Q}):\n"), len(f" {P * Q}")
    return P * Q * (cell + R * cost)


def total_cost(costs: list[list[list[int]]], values: list[list[int]]) -> int:
    return sum(
        cost[value]
        for row, chosen in zip(costs, values, strict=True)
        for cost, value in zip(row, chosen, strict=True)
    )
