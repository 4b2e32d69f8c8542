from functools import cache

from rlve.envs.bits.banned_point_superset_path_counting import BannedPointSupersetPathCounting

# x first, then y in one step or in either of two orders; or the 2 of y, x, the 1 of y; or y, then x
PROBLEM = BannedPointSupersetPathCounting(
    MAX_N_M_R=3, MAX_O=10, N=1, M=3, R=0, O=1, obstacles=[(0, 1, 0)], MOD=7, reference_answer=6
)
SCHEDULE = {
    0: {"MAX_N_M_R": 1, "MAX_O": 10},
    1: {"MAX_N_M_R": 2, "MAX_O": 12},
    4: {"MAX_N_M_R": 5, "MAX_O": 18},
    20: {"MAX_N_M_R": 40, "MAX_O": 103},
}
REWARDS = {
    1.0: ["6"],
    0.0: ["5", "0"],
    -0.5: ["7", "13", "-1", "9" * 1000],
    -1.0: ["6 paths", "6 6", ""],
}
SAMPLES = {150: {"MAX_N_M_R": range(1, 8), "MAX_O": range(1, 13)}}


def test_count_is_that_of_walking_all_steps(problem):
    target = problem.N, problem.M, problem.R
    assert problem.O == len(set(problem.obstacles)) == len(problem.obstacles)
    assert not {(0, 0, 0), target} & set(problem.obstacles)
    assert walks(target, set(problem.obstacles)) % problem.MOD == problem.reference_answer


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
