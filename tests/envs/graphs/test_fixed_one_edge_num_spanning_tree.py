from itertools import combinations

from rlve.envs.graphs.fixed_one_edge_num_spanning_tree import FixedOneEdgeNum_SpanningTree
from support.graphs import spans

PROBLEM = FixedOneEdgeNum_SpanningTree(
    N=4,
    edge_ratio=1.2,
    edges=[(0, 1, 1), (1, 2, 0), (0, 2, 0), (2, 3, 1)],
    K=1,
    reference_answer="1 2 0 2 2 3",
)
SCHEDULE = {
    0: {"N": 4, "edge_ratio": [i / 10 for i in range(10, 18)]},  # at most 6 edges
    1: {"N": 5, "edge_ratio": [i / 10 for i in range(10, 22)]},
    8: {"N": 14, "edge_ratio": [i / 10 for i in range(10, 31)]},
    20: {"N": 56, "edge_ratio": [i / 10 for i in range(10, 31)]},
}
REWARDS = {
    1.0: ["1 2 0 2 2 3", "3 2 2 0 2 1"],
    0.0: ["0 1 1 2 2 3"],
    -0.5: [
        "1 2 0 2",  # too few edges
        "0 1 1 2 0 2",  # a cycle, and 3 is not reached
        "2 3 3 2 0 1",  # the same edge twice
        "1 2 0 2 0 3",  # no such edge
        "1 2 0 2 3 4",  # no such vertex
        "",
    ],
    -1.0: [
        "1 2 0 2 2",  # an odd number of ends
        "1 2 0 2 2 x",
    ],
}
SAMPLES = {100: {"difficulty": range(3)}}


def test_right_are_just_the_trees_with_k_ones(problem):
    rewards = set()
    for tree in combinations(problem.edges, problem.N - 1):
        text = " ".join(f"{u} {v}" for u, v, _ in tree)
        right = sum(w for _, _, w in tree) == problem.K if spans(tree, problem.N) else -0.5
        assert problem.verify(f"<answer>{text}</answer>").reward == right
        rewards.add(right)
    assert {0.0, 1.0} <= rewards  # not every spanning tree is right
