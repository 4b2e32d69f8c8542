from fractions import Fraction
from math import hypot, sqrt
from random import Random
from typing import NamedTuple, Self

from rlve import Environment, Level
from rlve.algorithms.geometry import Point, convex_hull, turn
from rlve.answers import decimals
from rlve.errors import Unparseable
from rlve.foundation.pictures import Points
from rlve.levels import grow
from rlve.rewards import WRONG, ratio
from rlve.sampling.points import points_in_general_position
from rlve.text import lines, spaced

TOLERANCE = 0.001


class SmallestCircle(Environment[list[float]]):
    """Find the smallest circle that contains all given points."""

    N: int
    points: list[Point]
    gold_answer: float  # the smallest radius
    reference_answer: str

    max_difficulty = 20  # at 27, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Points()

    template = """
        There are {N} points in the plane, with integer coordinates (x, y). All are distinct, and no
        three of them lie on one line:

        {points}

        Find the circle with the smallest radius that contains all these points, inside it or on it.
        A point may lie outside your circle by at most 0.001, and your radius may be larger than the
        smallest possible one by at most 0.001.

        Output format: one line with three decimal numbers x y r, separated by spaces: the
        coordinates of the centre, and the radius.
        """

    def prompt(self) -> str:
        return self.fill(points=lines(self.points))

    @property
    def passing(self) -> float:
        return ratio(self.gold_answer, self.gold_answer + TOLERANCE) ** 10

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(4, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        points = points_in_general_position(rng, N, 2 * N)
        circle = smallest_circle(points)
        radius = sqrt(circle.squared_radius)
        return cls(
            N=N,
            points=points,
            gold_answer=radius,
            reference_answer=spaced((float(circle.x), float(circle.y), radius)),
        )

    def parse(self, text: str) -> list[float]:
        if len(text.split()) != 3:
            raise Unparseable(f"not three numbers: {text[:40]!r}")
        circle = decimals(text)
        if circle[2] <= 0:
            raise Unparseable("a radius that is not positive")
        return circle

    def score(self, answer: list[float]) -> float:
        x, y, radius = answer
        if any(hypot(x - a, y - b) > radius + TOLERANCE for a, b in self.points):
            return WRONG
        return ratio(self.gold_answer, radius) ** 10


class Circle(NamedTuple):
    """A circle in exact coordinates."""

    x: Fraction
    y: Fraction
    squared_radius: Fraction

    def contains(self, point: Point) -> bool:
        return (point[0] - self.x) ** 2 + (point[1] - self.y) ** 2 <= self.squared_radius


def smallest_circle(points: list[Point]) -> Circle:
    """The smallest circle around at least two points, no three of them on one line.

    A point outside the smallest circle around the ones before it lies on the smallest circle that
    includes it; so does a second one, and a third one fixes the circle.
    """
    corners = convex_hull(points)
    circle = around_two(corners[0], corners[1])
    for i, a in enumerate(corners):
        if circle.contains(a):
            continue
        circle = around_two(a, corners[0])
        for j, b in enumerate(corners[:i]):
            if circle.contains(b):
                continue
            circle = around_two(a, b)
            for c in corners[:j]:
                if not circle.contains(c):
                    circle = through_three(a, b, c)
    return circle


def around_two(a: Point, b: Point) -> Circle:
    """The circle whose diameter is ab."""
    x, y = Fraction(a[0] + b[0], 2), Fraction(a[1] + b[1], 2)
    return Circle(x, y, (a[0] - x) ** 2 + (a[1] - y) ** 2)


def through_three(a: Point, b: Point, c: Point) -> Circle:
    """The circle through three points that do not lie on one line."""
    bx, by, cx, cy = b[0] - a[0], b[1] - a[1], c[0] - a[0], c[1] - a[1]
    bb, cc, divisor = bx * bx + by * by, cx * cx + cy * cy, 2 * turn(a, b, c)
    x, y = Fraction(cy * bb - by * cc, divisor), Fraction(bx * cc - cx * bb, divisor)
    return Circle(a[0] + x, a[1] + y, x * x + y * y)
