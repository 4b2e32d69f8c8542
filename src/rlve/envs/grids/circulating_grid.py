from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.grids import Cell, equal_cells
from rlve.algorithms.matchings import bipartite_matching
from rlve.answers import character_rows
from rlve.foundation.pictures import Grid
from rlve.rewards import INVALID, ratio
from rlve.text import joined, lines

STEPS: dict[str, Cell] = {"L": (0, -1), "R": (0, 1), "U": (-1, 0), "D": (1, 0)}


class CirculatingGrid(Environment[list[str]]):
    """Change as few arrows of a grid as possible so that every walk returns to its start.

    Every walk does so if and only if exactly one cell leads to each cell.
    """

    MAX_R_C: int
    R: int
    C: int
    grid: list[list[str]]
    gold_answer: int  # the fewest changes, possibly none

    max_difficulty = 60  # at 77, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Grid(answer="grid")

    template = """
        A grid has {R} rows, numbered from 0 to {last_row}, and {C} columns, numbered from 0 to
        {last_column}. Each cell holds a letter:

        {grid}

        From the cell in row i and column j one moves, according to its letter,
        - L: to row i, column (j - 1) mod {C};
        - R: to row i, column (j + 1) mod {C};
        - U: to row (i - 1) mod {R}, column j;
        - D: to row (i + 1) mod {R}, column j.
        So a move over the edge of the grid continues on the opposite side.

        Change the letters of some cells such that from every cell one comes back to the same cell
        after one or more moves. Change as few cells as possible; changing none is allowed.
        If several ways are best, any of them is right.

        Output format: {R} lines of {C} letters, without separators: the grid after the changes.
        """

    def prompt(self) -> str:
        return self.fill(
            last_row=self.R - 1, last_column=self.C - 1, grid=lines(map(joined, self.grid))
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_R_C": d + 3}]

    @classmethod
    def sample(cls, rng: Random, MAX_R_C: int) -> Self:
        R, C = rng.randint(2, MAX_R_C), rng.randint(2, MAX_R_C)
        weights = [rng.randint(1, R * C) for _ in "LRUD"]
        grid = [rng.choices("LRUD", weights, k=C) for _ in range(R)]
        gold = R * C - equal_cells(grid, circulating(grid))
        return cls(MAX_R_C=MAX_R_C, R=R, C=C, grid=grid, gold_answer=gold)

    def parse(self, text: str) -> list[str]:
        return character_rows(text, rows=self.R, columns=self.C, characters=STEPS)

    def score(self, answer: list[str]) -> float:
        cells = self.R * self.C
        entered = {
            target(self.R, self.C, (i, j), letter)
            for i, row in enumerate(answer)
            for j, letter in enumerate(row)
        }
        if len(entered) < cells:
            return INVALID
        return ratio(self.gold_answer, cells - equal_cells(answer, self.grid)) ** 5

    def reference(self) -> str:
        return lines(map(joined, circulating(self.grid)))


def target(R: int, C: int, cell: Cell, letter: str) -> Cell:
    x, y = STEPS[letter]
    return (cell[0] + x) % R, (cell[1] + y) % C


def circulating(grid: list[list[str]]) -> list[list[str]]:
    """The fewest changes: a perfect matching of cells and targets in which changes cost 1."""
    R, C = len(grid), len(grid[0])
    letters: list[dict[int, str]] = []  # of each cell, by target
    for i in range(R):
        for j in range(C):
            letters.append({})
            # Two letters can have the same target; the present one comes last, and so is kept.
            for letter in sorted(STEPS, key=grid[i][j].__eq__):
                x, y = target(R, C, (i, j), letter)
                letters[-1][x * C + y] = letter
    present = [letter for row in grid for letter in row]
    chosen = cheapest_matching(
        [
            {place: int(letter != kept) for place, letter in choices.items()}
            for choices, kept in zip(letters, present, strict=True)
        ]
    )
    return [[letters[i * C + j][chosen[i * C + j]] for j in range(C)] for i in range(R)]


def cheapest_matching(costs: list[dict[int, int]]) -> list[int]:
    """The targets of n cells, each of 0 .. n-1 once, at least total cost (Hungarian method).

    The prices of a cell and a target never add up to more than their cost. A perfect matching of
    tight pairs, whose prices equal the cost, is cheapest. If there is none, the prices change
    around the cells left without a target.
    """
    n = len(costs)
    price, target_price = [0] * n, [0] * n
    while True:
        tight = [
            [t for t, cost in row.items() if cost == price[s] + target_price[t]]
            for s, row in enumerate(costs)
        ]
        matched = bipartite_matching(tight, n)
        if None not in matched:
            return [t for t in matched if t is not None]
        cell_of = {t: s for s, t in enumerate(matched)}
        cells = [s for s, t in enumerate(matched) if t is None]
        reached: set[int] = set()  # targets
        for s in cells:
            for t in tight[s]:
                if t not in reached:
                    reached.add(t)
                    cells.append(cell_of[t])
        change = min(
            cost - price[s] - target_price[t]
            for s in cells
            for t, cost in costs[s].items()
            if t not in reached
        )
        for s in cells:
            price[s] += change
        for t in reached:
            target_price[t] -= change
