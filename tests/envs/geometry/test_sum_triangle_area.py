from itertools import permutations

from rlve.envs.geometry.sum_triangle_area import SumTriangleArea

PROBLEM = SumTriangleArea(N=4, points=[(0, 0), (2, 0), (0, 1), (4, 0)], reference_answer=8)
ON_A_LINE = SumTriangleArea(N=4, points=[(0, 0), (2, 2), (1, 1), (4, 4)], reference_answer=0)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 20: {"N": 24}}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["8"],
            (8 / 10) ** 10: ["10"],
            (4 / 8) ** 10: ["4"],
            0.0: ["0"],
            -1.0: ["-8", "8.0", ""],
        },
    ),
    (ON_A_LINE, {1.0: ["0"], 0.0: ["1"]}),
]
SAMPLES = {120: {"N": range(4, 9)}}


def test_gold_is_the_sum_over_all_triangles(problem):
    assert len(set(problem.points)) == problem.N
    assert all(0 <= x <= problem.N and 0 <= y <= problem.N for x, y in problem.points)
    # Each triangle has six orders of its corners, three of which go round it to the left.
    rounds = sum(
        max(0, ax * (by - cy) + bx * (cy - ay) + cx * (ay - by))
        for (ax, ay), (bx, by), (cx, cy) in permutations(problem.points, 3)
    )
    assert 3 * problem.reference_answer == rounds
