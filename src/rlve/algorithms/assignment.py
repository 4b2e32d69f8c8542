"""The assignment problem: every row of a matrix gets a column of its own."""

from math import inf


class Assignment:
    """A lightest assignment of the rows seen so far; an infinite cost forbids a pair.

    The Hungarian method. Rows and columns have prices such that
    cost[i][j] >= row_price[i] + column_price[j], with equality where column j is given to row i:
    this proves that no other assignment is lighter. Exact where the costs are integers.
    """

    def __init__(self, cost: list[list[float]]) -> None:
        columns = len(cost[0])
        self.cost = cost
        self.row_price: list[float] = [0] * len(cost)
        self.column_price: list[float] = [0] * columns
        self.row_of: list[int | None] = [None] * columns

    def copy(self, cost: list[list[float]]) -> "Assignment":
        """The same assignment under costs that are nowhere lower, and as low where it pairs."""
        other = Assignment(cost)
        other.row_price[:] = self.row_price
        other.column_price[:] = self.column_price
        other.row_of[:] = self.row_of
        return other

    @property
    def weight(self) -> float:
        return sum(self.cost[row][column] for row, column in self.pairs())

    def pairs(self) -> list[tuple[int, int]]:
        """The assigned pairs (row, column), by row."""
        return sorted((row, j) for j, row in enumerate(self.row_of) if row is not None)

    def add(self, row: int) -> bool:
        """Give the row a column along a shortest augmenting path; False if there is none."""
        distance = [inf] * len(self.row_of)
        before: list[int | None] = [None] * len(self.row_of)
        unreached = list(range(len(self.row_of)))
        reached: list[tuple[int, int]] = []
        so_far, column, at = 0.0, None, row
        while True:
            to_here = so_far - self.row_price[at]
            for j in unreached:
                through = to_here + self.cost[at][j] - self.column_price[j]
                if through < distance[j]:
                    distance[j], before[j] = through, column
            column = min(unreached, key=distance.__getitem__)
            so_far = distance[column]
