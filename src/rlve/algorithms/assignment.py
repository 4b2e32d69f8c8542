"""The assignment problem: give every row of a cost matrix a column of its own."""

from collections.abc import Sequence
from math import inf
from typing import TypeAlias

Costs: TypeAlias = list[list[float]]
"""At least as many columns as rows; an infinite cost forbids a pair."""

NONE = -1


def lightest_assignment(cost: Sequence[Sequence[float]]) -> list[int] | None:
    """The column of each row, of least total cost; None if no assignment is allowed."""
    assignment = Assignment([list(row) for row in cost])
    complete = all(assignment.add(row) for row in range(len(cost)))
    return assignment.columns() if complete else None


class Assignment:
    """A lightest assignment of the rows added so far (Hungarian method).

    The prices prove that it is lightest: cost[i][j] >= row_price[i] + column_price[j] everywhere,
    with equality where row i has column j. Everything is exact if the costs are integers.
    """

    def __init__(self, cost: Costs) -> None:
        self.cost = cost
        self.row_of = [NONE] * (len(cost[0]) if cost else 0)  # by column
        self.row_price: list[float] = [0] * len(cost)
        self.column_price: list[float] = [0] * len(self.row_of)

    def columns(self) -> list[int]:
        """The column of each row."""
        columns = [NONE] * len(self.cost)
        for column, row in enumerate(self.row_of):
            if row != NONE:
                columns[row] = column
        return columns

    def weight(self) -> float:
        return sum(self.cost[row][j] for j, row in enumerate(self.row_of) if row != NONE)

    def without(self, row: int, column: int, cost: Costs) -> "Assignment | None":
        """The lightest assignment in which the row no longer has the column, or None.

        `cost` becomes the new cost. It may be higher than the present one, but not where a pair
        stays.
        """
        other = Assignment(cost)
        other.row_of[:] = self.row_of
        other.row_price[:] = self.row_price
        other.column_price[:] = self.column_price
        other.cost[row][column] = inf
        other.row_of[column] = NONE
        return other if other.add(row) else None

    def add(self, row: int) -> bool:
        """Give the row a column, moving other rows if that is lightest; False if impossible."""
        distance = [inf] * len(self.row_of)  # to each column, along pairs at their reduced cost
        before = [NONE] * len(self.row_of)
        unreached = list(range(len(self.row_of)))
        reached: list[int] = []
        so_far: float = 0
        here, column = row, NONE
        while here != NONE:
            costs, offset = self.cost[here], so_far - self.row_price[here]
            for j in unreached:
                through = offset + costs[j] - self.column_price[j]
                if through < distance[j]:
                    distance[j], before[j] = through, column
            column = min(unreached, key=distance.__getitem__)
            so_far = distance[column]
            if so_far == inf:
                return False
            unreached.remove(column)
            reached.append(column)
            here = self.row_of[column]
        self.row_price[row] += so_far
        for j in reached[:-1]:
            self.row_price[self.row_of[j]] += so_far - distance[j]
            self.column_price[j] -= so_far - distance[j]
        while column != NONE:
            previous = before[column]
            self.row_of[column] = row if previous == NONE else self.row_of[previous]
            column = previous
        return True
