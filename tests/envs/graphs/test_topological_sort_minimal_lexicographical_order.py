from itertools import permutations

from rlve.envs.graphs.topological_sort_minimal_lexicographical_order import (
    TopologicalSort_MinimalLexicographicalOrder,
)

# Read from the start, 1 2 3 0 would be smaller; but 0 can be second.
PROBLEM = TopologicalSort_MinimalLexicographicalOrder(
    N=4, before_conditions=[(3, 0), (1, 2)], gold_answer=[3, 0, 1, 2], reference_answer="3 0 1 2"
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = {
    1.0: ["3 0 1 2"],
    0.5 + 0.5 * (2 / 4) ** 5: ["3 1 0 2"],
    0.5: ["1 2 3 0"],
    0.5 * (1 / 2) ** 5: ["0 1 2 3", "3 0 2 1"],
    0.0: ["0 2 1 3"],
    -0.5: ["3 0 1", "3 0 1 2 2", "3 0 1 1", "4 1 2 3", "3 0 -1 2", ""],
    -1.0: ["3 > 0 > 1 > 2"],
}
SAMPLES = {100: {"difficulty": range(4)}}


def test_gold_has_the_smallest_positions_of_all_orders(problem):
    valid = [
        order
        for order in permutations(range(problem.N))
        if all(order.index(a) < order.index(b) for a, b in problem.before_conditions)
    ]
    best = min(valid, key=lambda order: [order.index(v) for v in range(problem.N)])
    assert problem.gold_answer == list(best)
    assert problem.before_conditions
