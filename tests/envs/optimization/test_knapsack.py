from itertools import product

from rlve.envs.optimization.knapsack import Knapsack

PROBLEM = Knapsack(N=3, W=[1, 2, 3], V=[2, 2, 5], W_max=4, gold_answer=7)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = {
    1.0: ["0 2", "2 0"],
    (5 / 7) ** 5: ["2"],
    (4 / 7) ** 5: ["0 1"],
    0.0: [""],
    -0.5: [
        "1 2",  # too heavy
        "0 0",
        "3",
        "-1",
    ],
    -1.0: ["0; 2"],
}
SAMPLES = {120: {"N": range(2, 9)}}


def test_gold_is_the_best_of_all_choices(problem):
    best = 0
    for chosen in product((0, 1), repeat=problem.N):
        items = list(zip(chosen, problem.W, problem.V, strict=True))
        if sum(c * w for c, w, _ in items) <= problem.W_max:
            best = max(best, sum(c * v for c, _, v in items))
    assert problem.gold_answer == best > 0
