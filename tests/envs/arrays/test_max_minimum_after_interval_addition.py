from itertools import combinations

from rlve.envs.arrays.max_minimum_after_interval_addition import MaxMinimum_AfterIntervalAddition

PROBLEM = MaxMinimum_AfterIntervalAddition(
    MAX_N_M=4,
    N=3,
    M=4,
    K=2,
    A=2,
    ARRAY=[3, 1, 2],
    intervals=[(1, 1), (2, 3), (1, 3), (2, 2)],
    gold_answer=5,
)
SCHEDULE = {0: {"MAX_N_M": 3}, 1: {"MAX_N_M": 4}, 20: {"MAX_N_M": 23}}
REWARDS = {
    1.0: ["2 3", "3 2"],
    (4 / 5) ** 5: ["3 4"],
    (3 / 5) ** 5: ["1 3"],
    (2 / 5) ** 5: ["1 4"],
    -0.5: ["3", "1 2 3", "3 3", "0 3", "3 5", "-1 3", ""],
    -1.0: ["2, 3"],
}
SAMPLES = {120: {"MAX_N_M": range(3, 9)}}


def test_gold_is_the_greatest_minimum_of_all_choices(problem):
    assert 2 <= problem.K < problem.M
    assert all(1 <= start <= end <= problem.N for start, end in problem.intervals)
    assert problem.gold_answer == greatest_minimum(problem)


def greatest_minimum(problem):
    best = 0
    for chosen in combinations(problem.intervals, problem.K):
        raised = [
            value + problem.A * sum(start <= place <= end for start, end in chosen)
            for place, value in enumerate(problem.ARRAY, 1)
        ]
        best = max(best, min(raised))
    return best
