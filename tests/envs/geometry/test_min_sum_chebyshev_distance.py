from rlve.envs.geometry.min_sum_chebyshev_distance import MinSumChebyshevDistance

PROBLEM = MinSumChebyshevDistance(
    N=3, X=[1, 4, 2], Y=[1, 1, 5], T=[1, 3, 1], reference_answer="4 1", gold_answer=7
)
TOGETHER = MinSumChebyshevDistance(
    N=2, X=[3, 3], Y=[2, 2], T=[1, 2], reference_answer="3 2", gold_answer=0
)
SCHEDULE = {0: {"N": 2}, 1: {"N": 3}, 7: {"N": 9}, 20: {"N": 45}}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["4 1"],
            (7 / 9) ** 5: ["3 1"],
            (7 / 22) ** 5: ["-1 0"],
            -1.0: ["4", "4 1 0", "", "4.0 1", "(4, 1)"],
        },
    ),
    (TOGETHER, {1.0: ["3 2"], 0.0: ["3 3"]}),  # where all points coincide
]
SAMPLES = {120: {"N": range(2, 6)}}


def test_gold_is_the_smallest_over_all_points_of_the_box(problem):
    points = list(zip(problem.X, problem.Y, problem.T, strict=True))
    assert problem.gold_answer == min(
        sum(t * max(abs(x - a), abs(y - b)) for a, b, t in points)
        for x in range(2 * problem.N + 2)
        for y in range(2 * problem.N + 2)
    )
