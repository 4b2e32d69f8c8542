from itertools import combinations

from rlve.envs.trees.tree_add_one_edge_diameter import TreeAddOneEdgeDiameter
from support.graphs import distances

# The path 3 - 1 - 4 - 2.
PROBLEM = TreeAddOneEdgeDiameter(N=4, edges=[(1, 3, 2), (2, 4, 3), (1, 4, 4)], L=1, gold_answer=4)
POINT = TreeAddOneEdgeDiameter(N=3, edges=[(1, 2, 0), (1, 3, 5)], L=0, gold_answer=0)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 20: {"N": 24}}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["3 2", "2 3"],
            (4 / 6) ** 5: ["1 2", "1 4"],
            (4 / 9) ** 5: ["1 1"],
            -0.5: ["0 1", "1 5", "-1 2"],
            -1.0: ["1", "1 2 3", "1, 2", ""],
        },
    ),
    (POINT, {1.0: ["2 3"], 0.0: ["1 2"], -0.5: ["1 4"]}),  # where the optimum is zero
]
SAMPLES = {100: {"difficulty": range(4)}}


def test_reference_of_a_tree_without_length():
    problem = TreeAddOneEdgeDiameter(N=3, edges=[(1, 2, 0), (1, 3, 0)], L=2, gold_answer=0)
    assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def test_gold_is_the_best_of_all_pairs(problem):
    pairs = combinations(range(1, problem.N + 1), 2)
    best = min(diameter(problem, x, y) for x, y in pairs)
    assert problem.gold_answer == best


def diameter(problem, x, y):
    edges = [*problem.edges, (x, y, problem.L)]
    return max(distances(range(1, problem.N + 1), edges).values())
