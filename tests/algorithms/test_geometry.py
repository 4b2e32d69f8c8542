from itertools import pairwise
from math import atan2, pi
from random import Random

from rlve.algorithms.geometry import angle, convex_hull, turn


def test_turn():
    assert turn((0, 0), (1, 0), (1, 1)) == 1
    assert turn((0, 0), (1, 1), (1, 0)) == -1
    assert turn((0, 0), (1, 1), (3, 3)) == 0


def test_convex_hull_of_few_or_collinear_points():
    assert convex_hull([]) == []
    assert convex_hull([(1, 1), (1, 1)]) == [(1, 1)]
    assert convex_hull([(2, 2), (0, 0), (1, 1), (3, 3)]) == [(0, 0), (3, 3)]


def test_convex_hull_has_no_points_within_a_side():
    square = [(x, y) for x in range(3) for y in range(3)]
    assert convex_hull(square) == [(0, 0), (2, 0), (2, 2), (0, 2)]


def test_sides_of_the_convex_hull_have_all_points_to_their_left():
    for seed in range(60):
        rng = Random(seed)
        points = list({(rng.randint(0, 5), rng.randint(0, 5)) for _ in range(rng.randint(3, 9))})
        sides = [
            (a, b)
            for a in points
            for b in points
            if a != b and all(within(a, b, p) or turn(a, b, p) > 0 for p in points)
        ]
        assert set(convex_hull(points)) == {corner for side in sides for corner in side}


def within(a, b, p):
    """Whether p lies on the segment from a to b."""
    inside = min(a, b) <= p <= max(a, b)
    return inside and turn(a, b, p) == 0


def test_angles_increase_from_the_x_axis():
    vectors = [(x, y) for x in range(-4, 5) for y in range(-4, 5) if (x, y) != (0, 0)]
    angles = [atan2(y, x) % (2 * pi) for x, y in sorted(vectors, key=angle)]
    assert all(a <= b + 1e-9 for a, b in pairwise(angles))
