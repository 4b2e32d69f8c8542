"""Random points on the integer grid."""

from math import gcd
from random import Random

from rlve.algorithms.geometry import Point, vector
from rlve.sampling.rejection import redraw


def points_in_general_position(rng: Random, n: int, high: int) -> list[Point]:
    """n different points with coordinates in 0 .. high, no three of them on a line.

    Each is uniform among the points that the earlier ones leave free.
    """

    def draw() -> list[Point]:
        free: list[Point] = [(x, y) for x in range(high + 1) for y in range(high + 1)]
        points: list[Point] = []
        while free and len(points) < n:
            point = rng.choice(free)
            taken = {point}.union(*(_line(point, other, high) for other in points))
            free = [other for other in free if other not in taken]
            points.append(point)
        return points

    return redraw(draw, lambda points: len(points) == n)


def _line(a: Point, b: Point, high: int) -> list[Point]:
    """The points with coordinates in 0 .. high on the line through a and b, except a."""
    dx, dy = vector(a, b)
    divisor = gcd(dx, dy)
    line: list[Point] = []
    for sx, sy in ((dx // divisor, dy // divisor), (-dx // divisor, -dy // divisor)):
        x, y = a[0] + sx, a[1] + sy
        while 0 <= x <= high and 0 <= y <= high:
            line.append((x, y))
            x, y = x + sx, y + sy
    return line
