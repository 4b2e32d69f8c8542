from itertools import product

from rlve.envs.graphs.minimum_directed_spanning_tree import MinimumDirectedSpanningTree

PROBLEM = MinimumDirectedSpanningTree(
    N=4,
    edge_density=0.5,
    edges=[(0, 1, 5), (1, 2, 1), (2, 1, 1), (0, 2, 9), (2, 3, 2), (1, 0, 1), (3, 2, 1)],
    root=0,
    reference_answer="0 1 1 2 2 3",
    gold_answer=8,
)
SCHEDULE = {
    0: {"N": 4, "edge_density": [0.4, 0.5, 0.7, 0.9]},
    1: {"N": 5, "edge_density": [0.3, 0.4, 0.5, 0.7, 0.9]},
    8: {"N": 14, "edge_density": [0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9]},
    20: {"N": 56, "edge_density": [0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9]},
}
REWARDS = {
    1.0: ["0 1 1 2 2 3", "2 3 0 1 1 2"],
    (8 / 12) ** 5: ["0 2 2 1 2 3"],
    -0.5: [
        "0 1 1 2",  # too few edges
        "0 1 1 2 2 3 0 2",  # too many
        "0 1 2 1 2 3",  # two edges lead to 1
        "0 1 3 2 2 3",  # a cycle
        "1 0 1 2 2 3",  # an edge leads to the root
        "0 1 0 1 2 3",  # an edge twice
        "0 1 1 2 3 2",
        "0 1 1 2 1 3",  # no such edge
        "0 1 1 2 3 3",
        "0 1 1 2 2 4",  # no such vertex
        "",
    ],
    -1.0: [
        "0 1 1 2 2",  # an odd number of ends
        "0 1 1 2 2 x",
    ],
}
SAMPLES = {150: {"difficulty": [0, 1]}}


def test_gold_is_the_minimum_over_all_trees(problem):
    assert problem.gold_answer == min(tree_weights(problem))


def tree_weights(problem):
    """The weights of all choices of one edge into each vertex but the root that reach all."""
    others = [v for v in range(problem.N) if v != problem.root]
    for choice in product(*([edge for edge in problem.edges if edge[1] == v] for v in others)):
        reached = {problem.root}
        for _ in others:
            reached |= {t for s, t, _ in choice if s in reached}
        if len(reached) == problem.N:
            yield sum(w for _, _, w in choice)
