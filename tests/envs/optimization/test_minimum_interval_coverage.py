from itertools import product
from random import Random

import pytest

from rlve.envs.optimization.minimum_interval_coverage import MinimumIntervalCoverage

PROBLEM = MinimumIntervalCoverage(
    N=3, M=3, intervals=[(1, 2, 2), (2, 3, 5), (3, 3, 1)], NEEDS=[2, 3, 1], gold_answer=7
)
NOTHING = MinimumIntervalCoverage(N=2, M=1, intervals=[(1, 1, 4)], NEEDS=[0, 0], gold_answer=0)
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


@pytest.mark.parametrize(("d", "N"), [(0, 3), (1, 4), (20, 50)])
def test_schedule(d, N):
    levels = MinimumIntervalCoverage.level(d)
    assert len(levels) == 33
    assert {level["N"] for level in levels} == {N}
    assert levels[0]["M"] == int(0.7 * N)
    assert levels[-1]["M"] == 4 * N


def test_numbers_of_intervals_are_truncated():
    assert [level["M"] for level in MinimumIntervalCoverage.level(0)][:6] == [2, 2, 3, 3, 3, 3]


def test_huge_answers_are_judged():
    assert PROBLEM.verify(f"<answer>{' '.join(['9' * 1000] * 3)}</answer>").reward < 1e-100


def test_gold_is_the_smallest_over_all_multiplicities():
    for seed in range(120):
        problem = MinimumIntervalCoverage.sample(Random(seed), N=2 + seed % 2, M=1 + seed % 4)
        assert problem.gold_answer == smallest(problem)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def smallest(problem):
    best = None
    for times in product(range(problem.N + 1), repeat=problem.M):
        taken = list(zip(times, problem.intervals, strict=True))
        if all(
            sum(k for k, (left, right, _) in taken if left <= p <= right) >= need
            for p, need in enumerate(problem.NEEDS, 1)
        ):
            cost = sum(k * c for k, (_, _, c) in taken)
            best = cost if best is None else min(best, cost)
    return best
