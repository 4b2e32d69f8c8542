from itertools import product

from rlve.envs.optimization.minimum_interval_coverage import MinimumIntervalCoverage

PROBLEM = MinimumIntervalCoverage(
    N=3, M=3, intervals=[(1, 2, 2), (2, 3, 5), (3, 3, 1)], NEEDS=[2, 3, 1], gold_answer=7
)
NOTHING = MinimumIntervalCoverage(N=2, M=1, intervals=[(1, 1, 4)], NEEDS=[0, 0], gold_answer=0)
SCHEDULE = {
    d: {"N": n, "M": [int(ratio / 10 * n) for ratio in (7, 9, *range(10, 41))]}
    for d, n in ((0, 3), (1, 4), (20, 50))
}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["3 0 1"],
            (7 / 9) ** 5: ["2 1 0"],
            (7 / 12) ** 5: ["3 1 1"],
            -0.5: [
                "2 0 1",  # point 2 needs 3
                "3 0 0",
                "4 -1 2",
                "0 0 0",
            ],
            -1.0: ["3 0", "3 0 1 0", "", "3 0 1.0"],
        },
    ),
    (NOTHING, {1.0: ["0"], 0.0: ["1"], -0.5: ["-1"]}),  # where nothing is needed
]
SAMPLES = {120: {"N": [2, 3], "M": range(1, 5)}}


def test_gold_is_the_smallest_over_all_multiplicities(problem):
    best = None
    for times in product(range(problem.N + 1), repeat=problem.M):
        taken = list(zip(times, problem.intervals, strict=True))
        if all(
            sum(k for k, (left, right, _) in taken if left <= p <= right) >= need
            for p, need in enumerate(problem.NEEDS, 1)
        ):
            cost = sum(k * c for k, (_, _, c) in taken)
            best = cost if best is None else min(best, cost)
    assert problem.gold_answer == best
