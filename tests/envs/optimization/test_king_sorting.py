from itertools import permutations
from math import prod

from rlve.envs.optimization.king_sorting import KingSorting

PROBLEM = KingSorting.from_parameters(
    {
        "N": 3,
        "MAX_A_B": 10,
        "array": [
            {"index": 0, "A": 10, "B": 4},
            {"index": 1, "A": 9, "B": 6},
            {"index": 2, "A": 8, "B": 1},
            {"index": 3, "A": 9, "B": 4},
        ],
        "gold_answer": 120,
        "reference_answer": "2 3 1",
    }
)
SCHEDULE = {0: {"N": 3, "MAX_A_B": 10}, 8: {"N": 12, "MAX_A_B": 10}, 20: {"N": 50, "MAX_A_B": 10}}
REWARDS = {
    1.0: ["2 3 1"],
    (120 / 180) ** 5: ["2 1 3"],
    (120 / 810) ** 5: ["1 3 2"],
    -0.5: ["2 3", "2 3 1 1", "2 3 3", "0 1 2", "2 3 4", ""],
    -1.0: ["2 3 x"],
}
SAMPLES = {100: {"N": range(2, 6), "MAX_A_B": 10}}


def test_a_minimum_of_zero():
    ones = [
        {"index": 0, "A": 1, "B": 1},
        {"index": 1, "A": 1, "B": 2},
        {"index": 2, "A": 5, "B": 2},
    ]
    record = {"N": 2, "MAX_A_B": 10, "array": ones, "gold_answer": 0, "reference_answer": "1 2"}
    problem = KingSorting.from_parameters(record)
    assert problem.verify("<answer>1 2</answer>").reward == 1.0
    assert problem.verify("<answer>2 1</answer>").reward == 0.0


def test_gold_is_the_smallest_of_all_orders(problem):
    head, *pairs = [(pair["A"], pair["B"]) for pair in problem.parameters()["array"]]
    smallest = min(
        max(prod(a for a, _ in [head, *order[:i]]) // order[i][1] for i in range(len(order)))
        for order in permutations(pairs)
    )
    assert problem.gold_answer == smallest
