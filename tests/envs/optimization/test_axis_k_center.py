from itertools import combinations

from rlve.envs.optimization.axis_k_center import Axis_KCenter

PROBLEM = Axis_KCenter(N=5, K=2, X=[0, 1, 3, 10, 12], gold_answer=5)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 2: {"N": 6}, 7: {"N": 12}, 20: {"N": 56}}
REWARDS = {
    1.0: ["1 3", "4 1"],
    (5 / 6) ** 5: ["0 3"],
    (5 / 22) ** 5: ["0 1"],
    -0.5: [
        "1",  # too few
        "1 3 4",
        "1 1",
        "1 5",
        "-1 1",
        "",
    ],
    -1.0: ["1, 3"],
}
SAMPLES = {200: {"N": range(4, 9)}}


def test_gold_is_the_cheapest_of_all_choices(problem):
    costs = [
        sum(min(abs(x - y) for y in chosen) for x in problem.X)
        for chosen in combinations(problem.X, problem.K)
    ]
    assert problem.gold_answer == min(costs)
