from collections.abc import Iterator
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.geometry import Point
from rlve.answers import integer
from rlve.foundation.pictures import Points
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.sampling.rejection import spread
from rlve.text import spaced
from rlve.work import Work, count_cases


class SquareUndamagedPointCounting(Environment[int]):
    """Count the squares, tilted ones included, whose corners are undamaged grid points.

    The answer 0 would dominate low levels, so other answers are made as likely.
    """

    MAX_N_M: int
    N: int
    M: int
    damaged_points: list[Point]
    reference_answer: int

    max_difficulty = 30  # at 36, generating a problem takes too long
    picture = Points("damaged_points")

    template = """
        Consider all points (x, y) with integer coordinates, 0 <= x <= {N} and 0 <= y <= {M}.
        These points are damaged, and all others are not:

        {damaged}

        How many squares have four undamaged points as corners? Their sides need not be parallel to
        the axes, and must be longer than 0. Damaged points may lie within a square or on its sides.
        Two squares are different if their sets of corners are different.

        Output format: one integer, the number of squares.
        """

    def prompt(self) -> str:
        return self.fill(damaged=", ".join(map(str, self.damaged_points)))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": grow(2, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        def draw() -> Self:
            N, M = rng.randint(1, MAX_N_M), rng.randint(1, MAX_N_M)
            count = rng.randint(1, min(N * M, MAX_N_M))
            every = [(x, y) for x in range(N + 1) for y in range(M + 1)]
            damaged = rng.sample(every, count)
            return cls(
                MAX_N_M=MAX_N_M,
                N=N,
                M=M,
                damaged_points=damaged,
                reference_answer=squares(N, M, damaged),
            )

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield "Each square has an upright box around it. In a box of size s with the lower left"
        yield "corner (x, y), the corners of a square can be (x + a, y), (x + s, y + a),"
        yield "(x + s - a, y + s) and (x, y + s - a), with a from 0 to s - 1. Count where all are"
        yield "undamaged:"
        cases = (
            (spaced(corners), not set(corners) & set(self.damaged_points))
            for corners in all_squares(self.N, self.M)
        )
        return str((yield from count_cases(cases)))


def all_squares(n: int, m: int) -> Iterator[list[Point]]:
    """The corners of all squares, by the size of the upright box around them."""
    for s in range(1, min(n, m) + 1):
        for a in range(s):
            for x in range(n - s + 1):
                for y in range(m - s + 1):
                    yield [(x + a, y), (x + s, y + a), (x + s - a, y + s), (x, y + s - a)]


def squares(n: int, m: int, damaged: list[Point]) -> int:
    """The number of squares, by the size of their bounding box and where they touch its sides.

    The points are the bits of an integer, row after row of x, so that one shift moves them all.
    """
    width = m + 1
    whole = (1 << (n + 1) * width) - 1
    good = whole ^ sum(1 << x * width + y for x, y in damaged)
    count = 0
    for side in range(1, min(n, m) + 1):
        row = (1 << m - side + 1) - 1
        boxes = sum(row << x * width for x in range(n - side + 1))  # by their lower left corners
        for a in range(side):
            b = side - a
            corners = ((a, 0), (side, a), (b, side), (0, b))
            undamaged = boxes
            for x, y in corners:
                undamaged &= good >> x * width + y
            count += undamaged.bit_count()
    return count
