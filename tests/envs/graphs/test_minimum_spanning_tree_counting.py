from itertools import combinations

from rlve.envs.graphs.minimum_spanning_tree_counting import MinimumSpanningTreeCounting
from support.graphs import spans

PROBLEM = MinimumSpanningTreeCounting(
    N=3, edge_ratio=1.0, edges=[(0, 1, 1), (0, 2, 1), (1, 2, 1)], MOD=1000, reference_answer=3
)
SCHEDULE = {
    0: {"N": 4, "edge_ratio": [i / 10 for i in range(10, 18)]},
    1: {"N": 5, "edge_ratio": [i / 10 for i in range(10, 22)]},
    2: {"N": 6, "edge_ratio": [i / 10 for i in range(10, 27)]},
    8: {"N": 14, "edge_ratio": [i / 10 for i in range(10, 51)]},
    20: {"N": 56, "edge_ratio": [i / 10 for i in range(10, 51)]},
}
REWARDS = {
    1.0: ["3"],
    0.0: ["2", "999"],
    -0.5: ["1000", "1003", "-1"],
    -1.0: ["", "3 trees", "3.0"],
}
SAMPLES = {100: {"difficulty": range(3)}}


def test_gold_is_the_number_of_lightest_trees(problem):
    choices = combinations(problem.edges, problem.N - 1)
    weights = [sum(w for _, _, w in tree) for tree in choices if spans(tree, problem.N)]
    assert problem.reference_answer == weights.count(min(weights)) % problem.MOD
    assert len({(u, v) for u, v, _ in problem.edges}) == int(problem.edge_ratio * problem.N)
