from itertools import combinations, permutations

from rlve.envs.geometry.convex_hull import ConvexHull

PROBLEM = ConvexHull(N=5, points=[(0, 0), (1, 2), (4, 1), (3, 5), (0, 3)], reference_answer=26)
SCHEDULE = {0: {"N": 5}, 1: {"N": 6}, 6: {"N": 12}, 20: {"N": 62}}
REWARDS = {1.0: ["26"], (13 / 26) ** 5: ["13", "52"], -1.0: ["0", "-26", "26.0", ""]}
SAMPLES = {120: {"N": range(3, 11)}}


def test_gold_is_the_area_within_all_hull_edges(problem):
    assert all(left_of(*three) for three in combinations(problem.points, 3))
    assert problem.reference_answer == sum(
        p[0] * q[1] - p[1] * q[0]
        for p, q in permutations(problem.points, 2)
        if all(left_of(p, q, r) > 0 for r in problem.points if r not in (p, q))
    )


def left_of(p, q, r):
    (ax, ay), (bx, by), (cx, cy) = p, q, r
    return ax * (by - cy) + bx * (cy - ay) + cx * (ay - by)
