from itertools import combinations

from rlve.envs.graphs.maximum_clique import MaximumClique

# A triangle 0 1 2 with a tail 2 3 4.
PROBLEM = MaximumClique(
    N=5,
    edge_density=0.55,
    edges=[(0, 1), (1, 2), (0, 2), (2, 3), (3, 4)],
    gold_answer=3,
    reference_answer="0 1 2",
)
SCHEDULE = {
    0: {"N": 4, "edge_density": [i / 20 for i in range(5, 20, 2)]},  # at least one edge
    1: {"N": 6, "edge_density": [i / 20 for i in range(3, 20, 2)]},
    7: {"N": 18, "edge_density": [i / 20 for i in range(1, 20, 2)]},
    20: {"N": 44, "edge_density": [i / 20 for i in range(1, 20, 2)]},
}
REWARDS = {
    1.0: ["0 1 2", "2 0 1"],
    (2 / 3) ** 5: ["3 4"],
    (1 / 3) ** 5: ["4"],
    0.0: [""],
    -0.5: [
        "0 1 2 3",  # 0 and 3 are not adjacent
        "0 1 1",  # a vertex twice
        "4 5",  # no such vertex
        "-1",
    ],
    -1.0: ["0, 1, 2"],
}
SAMPLES = {120: {"difficulty": range(4)}}


def test_gold_is_the_largest_of_all_cliques(problem):
    edges = set(problem.edges)
    assert problem.gold_answer == max(
        size
        for size in range(1, problem.N + 1)
        for chosen in combinations(range(problem.N), size)
        if all(pair in edges for pair in combinations(chosen, 2))
    )
