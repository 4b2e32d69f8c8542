from itertools import combinations

from rlve.envs.combinatorics.bounded_interval_intersection import (
    BoundedIntervalIntersection,
    subsets,
)

PROBLEM = BoundedIntervalIntersection(
    N=3, intervals=[(0, 2), (1, 3), (1, 3)], K=1, reference_answer=7
)
NONE = BoundedIntervalIntersection(N=2, intervals=[(0, 0), (1, 1)], K=1, reference_answer=0)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["7"],
            (6 / 7) ** 10: ["6"],
            (1 / 2) ** 10: ["14"],
            0.0: ["0"],
            -1.0: ["-7", "seven"],
        },
    ),
    (NONE, {1.0: ["0"], 0.0: ["1"]}),
]
SAMPLES = {100: {"N": range(2, 9)}}


def test_number_of_subsets(problem):
    assert problem.K in range(1, max(1, problem.N // 4) + 1)
    for K in (problem.K, 2, 3):
        assert subsets(problem.intervals, K) == enumerated(problem.intervals, K)
    assert problem.reference_answer == subsets(problem.intervals, problem.K)


def enumerated(intervals, K):
    return sum(
        min(right for _, right in chosen) - max(left for left, _ in chosen) >= K
        for size in range(1, len(intervals) + 1)
        for chosen in combinations(intervals, size)
    )
