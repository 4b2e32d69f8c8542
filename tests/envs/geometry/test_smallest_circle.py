from fractions import Fraction
from itertools import combinations
from math import sqrt

import pytest

from rlve.envs.geometry.smallest_circle import SmallestCircle, smallest_circle

PROBLEM = SmallestCircle(
    N=4, points=[(0, 0), (8, 6), (4, 7), (5, 3)], gold_answer=5.0, reference_answer="4.0 3.0 5.0"
)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 6: {"N": 10}, 20: {"N": 56}}
PASSING = (5 / 5.001) ** 10  # a radius that is 0.001 too large
REWARDS = {
    1.0: ["4 3 5", "4.0003 3 4.9999"],
    (5 / 5.0009) ** 10: ["4 3 5.0009"],
    (5 / 5.01) ** 10: ["4 3 5.01"],
    (5 / 10) ** 10: ["4e0 3 1e1"],
    0.0: ["4 3 1e300", "1e308 -1e308 1e308", "4 3 4.99", "4 3 1e-300", "3 3 5"],
    -1.0: [
        "4 3 0",
        "4 3 -5",
        "4 3",
        "4 3 5 5",
        "",
        "nan nan 5",
        "4 3 nan",
        "4 3 inf",
        "4 3 1e999",
        "inf 3 5",
        "4, 3, 5",
    ],
}
SAMPLES = {100: {"N": range(4, 8)}}


def test_gold_is_the_smallest_over_all_circles_through_two_or_three_points(problem):
    squared = smallest(problem.points)
    assert smallest_circle(problem.points).squared_radius == squared
    assert problem.gold_answer == pytest.approx(sqrt(squared), rel=1e-15)


def smallest(points):
    """The squared radius of the smallest circle that covers all points."""
    best = None
    for size in (2, 3):
        for chosen in combinations(points, size):
            x, y = centre(*chosen)
            squared = (chosen[0][0] - x) ** 2 + (chosen[0][1] - y) ** 2
            if best is not None and squared >= best:
                continue
            if all((a - x) ** 2 + (b - y) ** 2 <= squared for a, b in points):
                best = squared
    return best


def centre(p, q, r=None):
    """Of the circle around pq, or through all three, from its two linear equations (Cramer)."""
    if r is None:
        return Fraction(p[0] + q[0], 2), Fraction(p[1] + q[1], 2)
    (a, b), (c, d) = ((2 * (s[0] - p[0]), 2 * (s[1] - p[1])) for s in (q, r))
    e, f = (s[0] ** 2 + s[1] ** 2 - p[0] ** 2 - p[1] ** 2 for s in (q, r))
    determinant = a * d - b * c
    return Fraction(e * d - b * f, determinant), Fraction(a * f - e * c, determinant)
