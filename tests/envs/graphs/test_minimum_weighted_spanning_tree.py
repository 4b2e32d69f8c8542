from itertools import combinations

from rlve.envs.graphs.minimum_weighted_spanning_tree import MinimumWeightedSpanningTree

PROBLEM = MinimumWeightedSpanningTree(
    N=4, edge_density=0.7, edges=[(0, 1, 1), (1, 2, 2), (2, 3, 1), (0, 3, 4)], gold_answer=5
)
FREE = MinimumWeightedSpanningTree(
    N=3, edge_density=1.0, edges=[(0, 1, 0), (1, 2, 0), (0, 2, 1)], gold_answer=0
)
SCHEDULE = {
    0: {"N": 3, "edge_density": 1.0},
    2: {"N": 5, "edge_density": [0.5, 0.6, 0.7, 0.8, 0.9, 1.0]},
    20: {"N": 23, "edge_density": [i / 10 for i in range(1, 11)]},
}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["1 0 1 1 2 2 3", "1 3 2 2 1 1 0", "2 0 1 1 2 2 3"],
            (5 / 7) ** 5: ["0 0 1 0 3 2 3"],
            (5 / 8) ** 5: ["0 0 1 1 2 2 3"],
            -0.5: [
                "4 0 1 1 2 2 3",  # no such root
                "-1 0 1 1 2 2 3",
                "4 0",  # the root comes before the number of endpoints
                "1",
                "1 0 1 1 2",  # too few edges
                "1 0 1 1 2 2 3 0 3",
                "1 0 1 1 2 1 0",  # an edge twice
                "1 0 1 1 2 1 3",  # no such edge
                "1 0 1 1 2 2 4",
            ],
            -1.0: ["", "1 0 1 1", "1: 0 1 1 2 2 3"],
        },
    ),
    (FREE, {1.0: ["1 0 1 1 2"], 0.0: ["0 0 2 0 1"]}),  # where the minimum is zero
]
SAMPLES = {110: {"difficulty": range(3)}}


def test_gold_is_the_minimum_over_all_trees_and_roots(problem):
    trees = combinations(problem.edges, problem.N - 1)
    costs = [cost(problem.N, tree, {root}, 1) for tree in trees for root in range(problem.N)]
    assert problem.gold_answer == min(x for x in costs if x is not None)


def cost(vertices, edges, reached, depth):
    """What is not yet reached costs from this depth on, or None if this is no spanning tree."""
    new = [edge for edge in edges if len(reached & {*edge[:2]}) == 1]
    rest = [edge for edge in edges if edge not in new]
    if not new:
        return 0 if len(reached) == vertices else None
    deeper = cost(vertices, rest, reached.union(*(edge[:2] for edge in new)), depth + 1)
    return None if deeper is None else depth * sum(w for _, _, w in new) + deeper
