from rlve.envs.geometry.square_undamaged_point_counting import SquareUndamagedPointCounting

PROBLEM = SquareUndamagedPointCounting(
    MAX_N_M=2, N=2, M=2, damaged_points=[(0, 0)], reference_answer=4
)
NONE_LEFT = SquareUndamagedPointCounting(
    MAX_N_M=2, N=1, M=1, damaged_points=[(1, 0)], reference_answer=0
)
SCHEDULE = {0: {"MAX_N_M": 2}, 1: {"MAX_N_M": 3}, 7: {"MAX_N_M": 9}, 20: {"MAX_N_M": 45}}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["4"],
            (3 / 4) ** 10: ["3"],
            (4 / 8) ** 10: ["8"],
            0.0: ["0"],
            -1.0: ["-4", "4.0", ""],
        },
    ),
    (NONE_LEFT, {1.0: ["0"], 0.0: ["1"], -1.0: ["-1"]}),
]
SAMPLES = {120: {"MAX_N_M": range(2, 8)}}


def test_gold_is_the_number_of_sets_of_corners(problem):
    """The corners of all squares, found from every side that they can have."""
    damaged = {tuple(point) for point in problem.damaged_points}
    points = {(x, y) for x in range(problem.N + 1) for y in range(problem.M + 1)} - damaged
    found = set()
    for ax, ay in points:
        for bx, by in points:
            dx, dy = bx - ax, by - ay
            corners = {(ax, ay), (bx, by), (bx - dy, by + dx), (ax - dy, ay + dx)}
            if (dx or dy) and corners <= points:
                found.add(frozenset(corners))
    assert problem.reference_answer == len(found)
