from itertools import permutations

import pytest

from rlve.envs.graphs.topological_sort_minimal_lexicographical_order import (
    TopologicalSort_MinimalLexicographicalOrder,
)

# Read from the start, 1 2 3 0 would be smaller; but 0 can be second.
PROBLEM = TopologicalSort_MinimalLexicographicalOrder(
    N=4, before_conditions=[(3, 0), (1, 2)], gold_answer=[3, 0, 1, 2], reference_answer="3 0 1 2"
)


@pytest.mark.parametrize(("d", "N"), [(0, 3), (1, 4), (8, 12), (20, 50)])
def test_schedule(d, N):
    assert TopologicalSort_MinimalLexicographicalOrder.level(d) == [{"N": N}]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("3 0 1 2", 1.0),
        ("3 1 0 2", 0.5 + 0.5 * (2 / 4) ** 5),
        ("1 2 3 0", 0.5),
        ("0 1 2 3", 0.5 * (1 / 2) ** 5),
        ("0 2 1 3", 0.0),
        ("3 0 2 1", 0.5 * (1 / 2) ** 5),
        ("3 0 1", -0.5),
        ("3 0 1 2 2", -0.5),
        ("3 0 1 1", -0.5),
        ("4 1 2 3", -0.5),
        ("3 0 -1 2", -0.5),
        ("", -0.5),
        ("3 > 0 > 1 > 2", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_has_the_smallest_positions_of_all_orders():
    for seed in range(100):
        problem = TopologicalSort_MinimalLexicographicalOrder.generate(
            difficulty=seed % 4, seed=seed
        )
        valid = [
            order
            for order in permutations(range(problem.N))
            if all(order.index(a) < order.index(b) for a, b in problem.before_conditions)
        ]
        best = min(valid, key=lambda order: [order.index(v) for v in range(problem.N)])
        assert problem.gold_answer == list(best)
        assert problem.before_conditions
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
