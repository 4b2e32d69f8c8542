from rlve.envs.geometry.min_sum_distance_square import MinSumDistanceSquare

PROBLEM = MinSumDistanceSquare(
    M=4, N=2, points=[[-3, 2], [3, 4]], reference_answer=5, gold_answer=2
)
MEETING = MinSumDistanceSquare(M=3, N=2, points=[[1], [3, 1]], reference_answer=2, gold_answer=0)
SCHEDULE = {0: {"M": 2}, 1: {"M": 3}, 7: {"M": 9}, 20: {"M": 45}}
REWARDS = [
    (
        PROBLEM,
        {1.0: ["5"], (2 / 4) ** 5: ["6"], (2 / (1 + 121)) ** 5: ["-5"], -1.0: ["2.5", "5 6", ""]},
    ),
    (MEETING, {1.0: ["2"], 0.0: ["3"]}),  # where all groups meet
]
SAMPLES = {120: {"M": range(2, 9)}}


def test_gold_is_the_smallest_over_all_places(problem):
    M, N = problem.M, problem.N
    assert 2 <= N <= M
    assert sum(map(len, problem.points)) == M
    assert all(problem.points)
    costs = {
        place: sum(min((place - N * x) ** 2 for x in group) for group in problem.points)
        for place in range(-N * M, N * M + 1)
    }
    assert problem.gold_answer == min(costs.values()) == costs[problem.reference_answer]
