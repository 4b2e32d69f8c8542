from itertools import permutations

from rlve.envs.graphs.topological_sort import TopologicalSort

PROBLEM = TopologicalSort(
    N=4, before_conditions=[(2, 0), (2, 1), (0, 3), (1, 3)], reference_answer="2 0 1 3"
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = {
    1.0: ["2 0 1 3", "2 1 0 3"],
    (3 / 4) ** 10: ["2 0 3 1"],
    (2 / 4) ** 10: ["0 1 2 3"],
    0.0: ["3 0 1 2"],
    -0.5: [
        "2 0 1",
        "2 0 1 3 3",
        "2 0 0 3",
        "3 1 2 4",  # from 1 on
        "2 0 -1 3",
        "",
    ],
    -1.0: ["2, 0, 1, 3"],
}
SAMPLES = {100: {"difficulty": range(3)}}


def test_correct_are_exactly_the_orders_that_keep_the_conditions_of_the_prompt(problem):
    lines = [line.split() for line in problem.prompt().splitlines() if "must come" in line]
    for order in permutations(range(problem.N)):
        yield order, all(order.index(int(line[0])) < order.index(int(line[-1])) for line in lines)
