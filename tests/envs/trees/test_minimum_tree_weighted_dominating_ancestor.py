from itertools import combinations

from rlve.envs.trees.minimum_tree_weighted_dominating_ancestor import (
    MinimumTreeWeightedDominatingAncestor,
)

# 0 - 2 - 1 and 0 - 3.
PROBLEM = MinimumTreeWeightedDominatingAncestor(
    N=3, parents=[None, (2, 3), (0, 4), (0, 5)], C=[0, 2, 1, 4], K=1, gold_answer=18
)
EASY = MinimumTreeWeightedDominatingAncestor(
    N=3, parents=[None, (2, 3), (0, 4), (0, 5)], C=[0, 2, 0, 4], K=2, gold_answer=0
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["3"],  # 2 * 7 + 1 * 4
            (18 / 24) ** 5: ["1"],
            (18 / 26) ** 5: ["2"],
            -0.5: [
                "0",  # the root is selected anyway
                "4",
                "-1",
                "3 1",
                "",
            ],
            -1.0: ["three"],
        },
    ),
    (EASY, {1.0: ["3 1"], 0.0: ["3 2"], -0.5: ["3 3"]}),  # where the optimum is zero
]
SAMPLES = {120: {"difficulty": range(6)}}


def test_gold_is_the_best_of_all_selections(problem):
    choices = combinations(range(1, problem.N + 1), problem.K)
    assert problem.gold_answer == min(cost(problem, {0, *chosen}) for chosen in choices)


def cost(problem, selected):
    total = 0
    for u in range(1, problem.N + 1):
        v = u
        while v not in selected:
            v, length = problem.parents[v]
            total += problem.C[u] * length
    return total
