from itertools import combinations
from math import prod

from rlve.envs.optimization.max_mult_split import MaxMultSplit

PROBLEM = MaxMultSplit(N=4, K=2, string="3639", gold_answer=1701)
SCHEDULE = {
    0: {"N": 3, "K": 2},
    1: {"N": 4, "K": [2, 3]},
    20: {"N": 50, "K": [2, 5, 15, 25, 35, 45, 47, 49]},
}
REWARDS = {
    1.0: ["3 63 9"],
    (972 / 1701) ** 3: ["36 3 9"],
    (702 / 1701) ** 3: ["3 6 39"],
    -0.5: [
        "3 063 9",  # tokens are read as integers
        "3 6 3 9",
        "36 39",
        "3 36 9",
        "3 63 -9",
        "3 6 3",
        "3 63 " + "9" * 900,
        "",
    ],
    -1.0: ["3*63*9"],
}
SAMPLES = {150: {"N": range(3, 10), "K": range(2, 9)}}


def test_gold_is_the_largest_of_all_products(problem):
    N = problem.N
    largest = 0
    for cuts in combinations(range(1, N), problem.K):
        bounds = [0, *cuts, N]
        parts = [problem.string[bounds[i] : bounds[i + 1]] for i in range(problem.K + 1)]
        largest = max(largest, prod(map(int, parts)))
    assert problem.gold_answer == largest
