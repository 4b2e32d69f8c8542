from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.foundation.pictures import Grid
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import grid, spaced
from rlve.work import Work, state


class SpiralMatrix(Environment[list[int]]):
    """List the entries of a matrix along a clockwise spiral from the outside in."""

    MAX_M_N: int
    M: int
    N: int
    matrix: list[list[int]]
    gold_answer: list[int]
    reference_answer: str

    max_difficulty = 20  # at 26, a prompt exceeds 32,000 characters
    picture = Grid("matrix")

    template = """
        A matrix has {M} rows and {N} columns:

        {matrix}

        List all of its entries in clockwise spiral order. Start at the top left cell and go right
        along the top row, then down the right column, left along the bottom row, and up the left
        column until just below the top row. Go on in the same way around the cells that are left,
        until each cell has been listed exactly once.

        For example, the spiral order of the matrix

        11 12 13
        21 22 23
        31 32 33

        is 11 12 13 23 33 32 31 21 22.

        Output format: one line with the {size} entries in spiral order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(matrix=grid(self.matrix), size=self.M * self.N)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_M_N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_M_N: int) -> Self:
        M, N = rng.randint(2, MAX_M_N), rng.randint(2, MAX_M_N)
        matrix = [[rng.randint(1, M * N) for _ in range(N)] for _ in range(M)]
        gold = spiral(matrix)
        return cls(
            MAX_M_N=MAX_M_N,
            M=M,
            N=N,
            matrix=matrix,
            gold_answer=gold,
            reference_answer=spaced(gold),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.M * self.N:
            return INVALID
        right = sum(x == gold for x, gold in zip(answer, self.gold_answer, strict=True))
        return ratio(right, self.M * self.N) ** 5

    def work(self) -> Work[str]:
        left, entries = [row[:] for row in self.matrix], list[int]()
        while left and left[0]:
            sides = take_ring(left)
            for side, taken in zip(SIDES, sides, strict=True):
                if taken:
                    yield state(side, taken)
                    entries += taken
            if left and left[0]:
                yield f"Still inside: {' / '.join(map(spaced, left))}"
        yield state("In order", entries)
        return spaced(entries)


SIDES = ("Right along the top", "Down the right", "Left along the bottom", "Up the left")


def take_ring(left: list[list[int]]) -> list[list[int]]:
    """Take off the outermost ring of a matrix, and return its four sides in spiral order."""
    top = left.pop(0)
    right = [row.pop() for row in left]
    bottom = left.pop()[::-1] if left else []
    rising = [row.pop(0) for row in reversed(left) if row]
    return [top, right, bottom, rising]


def spiral(matrix: list[list[int]]) -> list[int]:
    """Take off the top row, turn the rest a quarter anticlockwise, and repeat."""
    entries: list[int] = []
    while matrix:
        entries += matrix[0]
        matrix = [list(column) for column in zip(*matrix[1:], strict=True)][::-1]
    return entries
