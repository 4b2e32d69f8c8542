from collections.abc import Callable
from random import Random
from typing import ClassVar, Self

from rlve import Environment, Level
from rlve.algorithms.grids import equal_cells
from rlve.algorithms.latin_squares import is_latin_square, views
from rlve.answers import integer_rows
from rlve.foundation.pictures import Grid
from rlve.rewards import INVALID, ratio
from rlve.sampling.latin_squares import random_latin_square
from rlve.text import grid, spaced


class SkyscraperPuzzle(Environment[list[list[int]]]):
    """Fill a Latin square with heights, given how many are visible from each side.

    Any square that agrees with the numbers is right; there can be several. The planted square is
    nearly uniform among all Latin squares.
    """

    N: int
    left: list[int]  # the number of visible cells of each row, from the top
    right: list[int]
    top: list[int]  # and of each column, from the left
    bottom: list[int]
    reference_answer: str

    seen: ClassVar[Callable[[list[int]], int]] = len  # what the numbers say of visible heights

    max_difficulty = 35  # at 45, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Grid(
        None, "N", "N", left="left", right="right", top="top", bottom="bottom", answer="grid"
    )

    template = """
        Fill a grid of {N} rows and {N} columns with heights from 0 to {last}, such that each row
        and each column contains every height exactly once.

        A cell is visible from a side if no taller cell is before it, seen from that side. So the
        first cell is always visible, also if its height is 0. The numbers of visible cells must be:
        - in the rows from top to bottom, seen from the left: {left}
        - in the rows from top to bottom, seen from the right: {right}
        - in the columns from left to right, seen from the top: {top}
        - in the columns from left to right, seen from the bottom: {bottom}

        There is a solution; if there are several, any of them is right.

        Output format: {N} lines of {N} heights, separated by spaces: the filled grid.
        """

    def prompt(self) -> str:
        return self.fill(
            last=self.N - 1,
            left=spaced(self.left),
            right=spaced(self.right),
            top=spaced(self.top),
            bottom=spaced(self.bottom),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": d + 3}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        solution = random_latin_square(rng, N)
        left, right, top, bottom = cls.from_sides(solution)
        return cls(
            N=N,
            left=left,
            right=right,
            top=top,
            bottom=bottom,
            reference_answer=grid(solution),
        )

    def parse(self, text: str) -> list[list[int]]:
        return integer_rows(text, rows=self.N, columns=self.N)

    def score(self, answer: list[list[int]]) -> float:
        if not is_latin_square(answer):
            return INVALID
        wanted = (self.left, self.right, self.top, self.bottom)
        satisfied = equal_cells(self.from_sides(answer), wanted)
        return ratio(satisfied, 4 * self.N) ** 10

    @classmethod
    def from_sides(cls, square: list[list[int]]) -> list[list[int]]:
        """The numbers from the left, the right, the top and the bottom."""
        return [[cls.seen(heights) for heights in side] for side in views(square)]
