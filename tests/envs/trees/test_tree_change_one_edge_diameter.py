from itertools import combinations

from rlve.envs.trees.tree_change_one_edge_diameter import TreeChangeOneEdgeDiameter
from support.graphs import distances

# The path 2 - 1 - 3 - 4 - 5.
PROBLEM = TreeChangeOneEdgeDiameter(
    N=5,
    edges=[(1, 2), (1, 3), (3, 4), (4, 5)],
    minimize_or_maximize="minimize",
    gold_answer=3,
    reference_answer="1 2 2 3",
)
OTHER = TreeChangeOneEdgeDiameter(
    N=5,
    edges=[(1, 2), (1, 3), (1, 4), (4, 5)],
    minimize_or_maximize="maximize",
    gold_answer=4,
    reference_answer="1 2 2 3",
)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 20: {"N": 24}}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["1 2 2 3", "2 1 3 2", "5 4 3 5"],
            (3 / 4) ** 5: ["1 2 1 2"],  # nothing changes
            -0.5: [
                "1 4 1 2",  # no such edge
                "1 2 2 6",
                "1 2 0 2",
                "1 2 2 2",
                "1 2 1 3",  # it is there already
                "1 2 3 5",  # a cycle, and 2 is alone
            ],
            -1.0: ["1 2 2", "1 2 2 3 4", "1, 2, 2, 3", ""],
        },
    ),
    # its diameter is large
    (OTHER, {1.0: ["1 2 2 3"], (3 / 4) ** 5: ["1 2 2 1"], (2 / 4) ** 5: ["4 5 1 5"]}),
]
SAMPLES = {100: {"difficulty": range(4)}}


def test_gold_is_the_best_of_all_changes(problem):
    best = min if problem.minimize_or_maximize == "minimize" else max
    diameters = [
        longest
        for removed in problem.edges
        for added in combinations(range(1, problem.N + 1), 2)
        if (longest := diameter(problem, removed, added)) is not None
    ]
    assert problem.gold_answer == best(diameters)


def diameter(problem, removed, added):
    """Of the changed graph, if it is a tree."""
    edges = {*problem.edges} - {removed} | {added}
    longest = max(distances(range(1, problem.N + 1), edges).values())
    return longest if longest < problem.N else None
