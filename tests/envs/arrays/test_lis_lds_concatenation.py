from itertools import combinations

from rlve.envs.arrays.lis_lds_concatenation import LIS_LDS_Concatenation

PROBLEM = LIS_LDS_Concatenation(N=6, MAX=9, array=[3, 1, 4, 4, 2, 0], gold_answer=4)
SCHEDULE = {
    d: {"N": n, "MAX": 100000}
    for d, n in ((0, 5), (1, 6), (2, 7), (3, 8), (4, 9), (5, 10), (6, 12), (7, 14), (20, 126))
}
REWARDS = {
    1.0: ["0 2 4 5", "1 3 4 5"],
    (3 / 4) ** 5: ["0 4 5"],
    (2 / 4) ** 5: ["0 2"],
    (1 / 4) ** 5: ["5"],
    -0.5: ["0 1 2", "2 3 4 5", "2 0", "0 0", "0 2 4 6", "-1 2", ""],
    -1.0: ["0, 2"],
}
SAMPLES = {120: {"N": range(1, 10), "MAX": range(2, 12)}}


def test_gold_is_the_greatest_length_of_all_choices(problem):
    sizes = range(problem.N, 0, -1)
    longest = next(k for k in sizes if any(map(rises_and_falls, combinations(problem.array, k))))
    assert problem.gold_answer == longest


def rises_and_falls(values):
    top = values.index(max(values))
    up, down = values[: top + 1], values[top:]
    return sorted(set(up)) == list(up) and sorted(set(down), reverse=True) == list(down)
