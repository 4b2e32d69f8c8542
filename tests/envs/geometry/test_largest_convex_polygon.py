from itertools import combinations

from rlve.envs.geometry.largest_convex_polygon import LargestConvexPolygon

PROBLEM = LargestConvexPolygon(
    N=6, points=[(0, 0), (6, 1), (5, 6), (1, 5), (3, 2), (2, 3)], gold_answer=5
)
SCHEDULE = {0: {"N": 5}, 1: {"N": 6}, 20: {"N": 25}}
REWARDS = {
    1.0: [
        "2 3 4 6 5",
        "6 2 5 3 4",  # in any order
    ],
    (4 / 5) ** 5: ["1 2 3 4"],
    (3 / 5) ** 5: ["4 5 6"],
    -0.2: [
        "1 2 3 5",  # 5 lies inside the triangle of the others
        "1 2 3 4 5 6",
        "1 2",
        "",
    ],
    -0.5: [
        "0 1 2",  # labels start at 1
        "1 2 7",
        "1 2 -3",
        "1 2 3 3",
        "2 2",
        "1 2 " + "9" * 1000,
    ],
    -1.0: ["1 2 (5, 6)", "1, 2, 3"],
}
SAMPLES = {120: {"N": range(5, 10)}}


def test_gold_is_the_largest_over_all_subsets(problem):
    assert all(area(*three) for three in combinations(problem.points, 3))
    largest = max(
        size
        for size in range(3, problem.N + 1)
        if any(is_convex(chosen) for chosen in combinations(problem.points, size))
    )
    assert problem.gold_answer == largest


def is_convex(points):
    """Whether no point lies in a triangle of others (no three are on a line)."""
    return not any(
        area(a, b, c) == area(p, b, c) + area(a, p, c) + area(a, b, p)
        for p in points
        for a, b, c in combinations([q for q in points if q != p], 3)
    )


def area(a, b, c):
    """Twice the area of a triangle."""
    (ax, ay), (bx, by), (cx, cy) = a, b, c
    return abs(ax * (by - cy) + bx * (cy - ay) + cx * (ay - by))
