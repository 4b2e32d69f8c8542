from itertools import permutations

from rlve.envs.optimization.value_diminishing_selection import ValueDiminishingSelection

PROBLEM = ValueDiminishingSelection(N=3, W=[4, 3, 1], R=[3, 1, 2], gold_answer=6)
WORTHLESS = ValueDiminishingSelection(N=3, W=[0, 0, 0], R=[3, 1, 2], gold_answer=0)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["1 0"],
            (4 / 6) ** 5: ["1 2 0", "0 1", "0"],
            (1 / 6) ** 5: ["2 0 1"],
            0.0: [
                "0 2 1",  # 4 - 2 - 2
                "",
            ],
            -0.5: ["1 1", "1 3", "-1 0"],
            -1.0: ["1, 0"],
        },
    ),
    (WORTHLESS, {1.0: ["", "0 1"], -0.5: ["3"]}),  # where nothing can be gained
]
SAMPLES = {120: {"N": range(3, 6)}}


def test_gold_is_the_largest_over_all_ordered_selections(problem):
    assert problem.gold_answer == max(
        sum(problem.W[i] - sum(problem.R[j] for j in order[:k]) for k, i in enumerate(order))
        for size in range(problem.N + 1)
        for order in permutations(range(problem.N), size)
    )
