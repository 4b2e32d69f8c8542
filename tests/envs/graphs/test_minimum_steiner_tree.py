from itertools import combinations

from rlve.envs.graphs.minimum_steiner_tree import MinimumSteinerTree

PROBLEM = MinimumSteinerTree(
    N=5,
    edge_density=0.6,
    edges=[(0, 1, 2), (0, 2, 2), (0, 3, 2), (1, 2, 3), (2, 3, 5), (3, 4, 1)],
    K=3,
    to_be_connected=[3, 1, 2],
    gold_answer=6,
)
SCHEDULE = {
    0: {"N": 4, "edge_density": [0.7, 0.8, 0.9, 1.0]},
    3: {"N": 7, "edge_density": [i / 10 for i in range(4, 11)]},
    20: {"N": 24, "edge_density": [i / 10 for i in range(1, 11)]},
}
REWARDS = {
    1.0: ["0 1 0 2 0 3", "3 0 2 0 1 0"],
    (6 / 7) ** 5: ["0 1 0 2 0 3 3 4"],
    (6 / 8) ** 5: ["1 2 2 3"],
    (6 / 9) ** 5: ["0 1 0 2 0 3 1 2"],  # a cycle
    -0.5: [
        "0 1 0 2",  # without 3
        "1 2 3 4",  # not connected
        "0 1 0 2 0 3 3 5",  # no such vertex
        "0 1 0 2 0 3 2 4",  # no such edge
        "0 1 0 2 0 3 3 3",
        "0 1 0 2 0 3 3 0",  # an edge twice
        "0 1 0 2 0 3 0 1",
        "-1 1",
        "",
    ],
    -1.0: ["0 1 0", "0-1 0-2"],
}
SAMPLES = {120: {"difficulty": range(6)}}


def test_gold_is_the_minimum_over_all_supersets(problem):
    required = set(problem.to_be_connected)
    others = sorted(set(range(problem.N)) - required)
    spanning = [
        spanning_weight(problem.edges, required.union(more))
        for size in range(len(others) + 1)
        for more in combinations(others, size)
    ]
    assert problem.gold_answer == min(weight for weight in spanning if weight is not None)


def spanning_weight(edges, vertices):
    """Prim, or None if the vertices are not connected."""
    reached, total = {min(vertices)}, 0
    while reached != vertices:
        leaving = [
            (w, u, v)
            for u, v, w in edges
            if {u, v} <= vertices and (u in reached) != (v in reached)
        ]
        if not leaving:
            return None
        w, u, v = min(leaving)
        total += w
        reached |= {u, v}
    return total
