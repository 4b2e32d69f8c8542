from itertools import pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.geometry import Point, convex_hull, turn
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.sampling.points import points_in_general_position
from rlve.text import lines


class ConvexHull(Environment[int]):
    """Compute twice the area of the convex hull of given points."""

    N: int
    points: list[Point]
    reference_answer: int

    max_difficulty = 25  # at 31, generating a problem takes too long

    template = """
        There are {N} points in the plane, with integer coordinates (x, y). All are distinct, and no
        three of them lie on one line:

        {points}

        The convex hull of these points is the smallest convex polygon that contains all of them.
        What is 2 times its area? This is an integer.

        Output format: one integer, two times the area of the convex hull.
        """

    def prompt(self) -> str:
        return self.fill(points=lines(self.points))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(5, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        points = points_in_general_position(rng, N, N)
        return cls(N=N, points=points, reference_answer=doubled_area(convex_hull(points)))

    def parse(self, text: str) -> int:
        return integer(text, low=1)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 5


def doubled_area(corners: list[Point]) -> int:
    """Twice the area of a convex polygon whose corners are given counter-clockwise."""
    return sum(turn(corners[0], a, b) for a, b in pairwise(corners))
