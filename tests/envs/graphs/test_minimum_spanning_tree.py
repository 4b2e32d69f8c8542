from itertools import combinations

from rlve.envs.graphs.minimum_spanning_tree import MinimumSpanningTree
from support.graphs import spans

PROBLEM = MinimumSpanningTree(
    N=3,
    edge_density=1.0,
    edges=[(0, 1, 1), (0, 2, 4), (1, 2, 2)],
    reference_answer="0 1 1 2",
    gold_answer=3,
)
SCHEDULE = {0: {"N": 4, "edge_density": [0.7, 0.9]}}
REWARDS = {
    1.0: ["0 1 1 2", "2 1 1 0"],
    (3 / 5) ** 5: ["0 1 0 2"],
    -0.5: [
        "0 1",  # too few edges
        "0 1 1 0",  # the same edge twice
        "0 1 1 3",  # no such edge
    ],
    -1.0: [
        "0 1 1",  # an odd number of endpoints
        "0 1 1 x",
    ],
}
SAMPLES = {100: {"difficulty": range(3)}}


def test_gold_is_the_minimum_over_all_trees(problem):
    choices = combinations(problem.edges, problem.N - 1)
    lightest = min(sum(w for _, _, w in tree) for tree in choices if spans(tree, problem.N))
    assert problem.gold_answer == lightest
