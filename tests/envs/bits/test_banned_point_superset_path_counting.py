from functools import cache
from random import Random

import pytest

from rlve.envs.bits.banned_point_superset_path_counting import (
    BannedPointSupersetPathCounting,
)

# x first, then y in one step or in either of two orders; or the 2 of y, x, the 1 of y; or y, then x
PROBLEM = BannedPointSupersetPathCounting(
    MAX_N_M_R=3,
    MAX_O=10,
    N=1,
    M=3,
    R=0,
    O=1,
    obstacles=[(0, 1, 0)],
    MOD=7,
    reference_answer=6,
)


@pytest.mark.parametrize(("d", "top", "most"), [(0, 1, 10), (1, 2, 12), (4, 5, 18), (20, 40, 103)])
def test_schedule(d, top, most):
    assert BannedPointSupersetPathCounting.level(d) == [{"MAX_N_M_R": top, "MAX_O": most}]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("6", 1.0),
        ("5", 0.0),
        ("0", 0.0),
        ("7", -0.5),
        ("13", -0.5),
        ("-1", -0.5),
        ("9" * 1000, -0.5),
        ("6 paths", -1.0),
        ("6 6", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_count_is_that_of_walking_all_steps():
    for seed in range(150):
        problem = BannedPointSupersetPathCounting.sample(
            Random(seed), MAX_N_M_R=1 + seed % 7, MAX_O=1 + seed % 12
        )
        target = problem.N, problem.M, problem.R
        assert problem.O == len(set(problem.obstacles)) == len(problem.obstacles)
        assert not {(0, 0, 0), target} & set(problem.obstacles)
        assert walks(target, set(problem.obstacles)) % problem.MOD == problem.reference_answer


def test_all_points_between_can_be_banned():
    counts = set()
    for seed in range(40):
        problem = BannedPointSupersetPathCounting.sample(Random(seed), MAX_N_M_R=1, MAX_O=6)
        counts.add((problem.N + problem.M + problem.R, problem.O))
    assert {(2, 2), (3, 6)} <= counts


def walks(target, banned):
    @cache
    def to(point):
        if point in banned:
            return 0
        if point == (0, 0, 0):
            return 1
        total = 0
        for axis in range(3):
            for value in range(point[axis]):
                if value & point[axis] == value:
                    total += to((*point[:axis], value, *point[axis + 1 :]))
        return total

    return to(target)
