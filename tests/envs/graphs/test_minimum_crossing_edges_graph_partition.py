from itertools import product

from rlve.envs.graphs.minimum_crossing_edges_graph_partition import (
    Minimum_CrossingEdges_GraphPartition,
)

# A triangle with a tail.
PROBLEM = Minimum_CrossingEdges_GraphPartition(
    N=5, edge_density=0.5, K=3, edges=[(0, 1), (0, 2), (1, 2), (2, 3), (3, 4)], gold_answer=2
)
APART = Minimum_CrossingEdges_GraphPartition(
    N=4, edge_density=0.4, K=2, edges=[(0, 1), (2, 3)], gold_answer=0
)
SCHEDULE = {
    0: {"N": 3, "edge_density": [i / 20 for i in range(7, 20, 2)]},
    1: {"N": 4, "edge_density": [i / 20 for i in range(5, 20, 2)]},
    20: {
        "N": 23,
        "edge_density": [0.02, 0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95],
    },
}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["0 0 0 1 2", "2 2 2 0 1"],
            (2 / 3) ** 5: ["0 0 1 1 2", "0 1 2 2 2"],
            (2 / 5) ** 5: ["0 1 2 0 1"],
            -0.5: [
                "0 0 0 1 1",  # two sets only
                "0 0 0 1 3",
                "1 1 1 2 3",
                "0 0 0 1 -1",
                "0 0 0 1",
                "0 0 0 1 2 2",
                "",
            ],
            -1.0: ["a a a b c"],
        },
    ),
    (APART, {1.0: ["1 1 0 0"], 0.0: ["0 1 1 1"]}),  # where no edge must cross
]
SAMPLES = {120: {"difficulty": range(4)}}


def test_gold_is_the_minimum_over_all_partitions(problem):
    numbers = [
        sum(sets[u] != sets[v] for u, v in problem.edges)
        for sets in product(range(problem.K), repeat=problem.N)
        if len(set(sets)) == problem.K
    ]
    assert problem.gold_answer == min(numbers)
