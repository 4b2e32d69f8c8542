from fractions import Fraction
from itertools import combinations
from math import sqrt
from random import Random

import pytest

from rlve.envs.geometry.smallest_circle import SmallestCircle, smallest_circle

PROBLEM = SmallestCircle(
    N=4,
    points=[(0, 0), (8, 6), (4, 7), (5, 3)],
    gold_answer=5.0,
    reference_answer="4.0 3.0 5.0",
)


@pytest.mark.parametrize(("d", "N"), [(0, 4), (1, 5), (6, 10), (20, 56)])
def test_schedule(d, N):
    assert SmallestCircle.level(d) == [{"N": N}]


@pytest.mark.parametrize(
    ("answer", "reward", "correct"),
    [
        ("4 3 5", 1.0, True),
        ("4.0003 3 4.9999", 1.0, True),
        ("4 3 5.0009", (5 / 5.0009) ** 10, True),
        ("4 3 5.01", (5 / 5.01) ** 10, False),
        ("4e0 3 1e1", (5 / 10) ** 10, False),
        ("4 3 1e300", 0.0, False),
        ("1e308 -1e308 1e308", 0.0, False),
        ("4 3 4.99", 0.0, False),
        ("4 3 1e-300", 0.0, False),
        ("3 3 5", 0.0, False),
        ("4 3 0", -1.0, False),
        ("4 3 -5", -1.0, False),
        ("4 3", -1.0, False),
        ("4 3 5 5", -1.0, False),
        ("", -1.0, False),
        ("nan nan 5", -1.0, False),
        ("4 3 nan", -1.0, False),
        ("4 3 inf", -1.0, False),
        ("4 3 1e999", -1.0, False),
        ("inf 3 5", -1.0, False),
        ("4, 3, 5", -1.0, False),
    ],
)
def test_rewards(answer, reward, correct):
    verdict = PROBLEM.verify(f"<answer>{answer}</answer>")
    assert verdict.reward == pytest.approx(reward, abs=1e-15)
    assert verdict.correct == correct
    assert verdict.well_formed == (reward != -1.0)


def test_gold_is_the_smallest_over_all_circles_through_two_or_three_points():
    sampled = [SmallestCircle.sample(Random(seed), N=4 + seed % 4) for seed in range(100)]
    for problem in [PROBLEM, *sampled]:
        squared = smallest(problem.points)
        assert smallest_circle(problem.points).squared_radius == squared
        assert problem.gold_answer == pytest.approx(sqrt(squared), rel=1e-15)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


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


def test_points_are_distinct_and_no_three_on_a_line():
    for seed in range(10):
        problem = SmallestCircle.generate(difficulty=seed, seed=seed)
        assert len(set(problem.points)) == problem.N
        assert all(0 <= min(p) <= max(p) <= 2 * problem.N for p in problem.points)
        for (a, b), (c, d), (e, f) in combinations(problem.points, 3):
            assert (c - a) * (f - b) != (d - b) * (e - a)
