"""Points and vectors (x, y) in the plane, in exact integer arithmetic."""

from collections.abc import Iterable
from functools import cmp_to_key
from typing import TypeAlias

Point: TypeAlias = tuple[int, int]


def vector(a: Point, b: Point) -> Point:
    """The vector from a to b."""
    return b[0] - a[0], b[1] - a[1]


def turn(a: Point, b: Point, c: Point) -> int:
    """Twice the signed area of abc: positive if the way a -> b -> c turns left, 0 if straight."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def convex_hull(points: Iterable[Point]) -> list[Point]:
    """The corners of the convex hull, counter-clockwise from the leftmost (lowest if several).

    Points inside a side are not corners. If all points lie on a line, its two ends are the corners.
    """
    ascending = sorted(set(points))
    if len(ascending) < 3:
        return ascending
    lower, upper = _left_turning(ascending), _left_turning(ascending[::-1])
    return lower[:-1] + upper[:-1]


def _left_turning(points: list[Point]) -> list[Point]:
    chain: list[Point] = []
    for point in points:
        while len(chain) >= 2 and turn(chain[-2], chain[-1], point) <= 0:
            chain.pop()
        chain.append(point)
    return chain


def _compare_angles(a: Point, b: Point) -> int:
    upper_a, upper_b = (a[1], a[0]) >= (0, 0), (b[1], b[0]) >= (0, 0)
    if upper_a != upper_b:
        return -1 if upper_a else 1
    return -turn((0, 0), a, b)


angle = cmp_to_key(_compare_angles)
"""Sorting key: the angle of a vector other than (0, 0), from 0 at (1, 0) to just below a turn."""
