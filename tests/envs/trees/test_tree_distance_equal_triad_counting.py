from itertools import combinations

from rlve.envs.trees.tree_distance_equal_triad_counting import Tree_DistanceEqualTriad_Counting
from support.graphs import distances

# A star with four rays.
PROBLEM = Tree_DistanceEqualTriad_Counting(
    N=5, edges=[(1, 2), (2, 3), (2, 4), (2, 5)], reference_answer=4
)
PATH = Tree_DistanceEqualTriad_Counting(N=3, edges=[(1, 2), (2, 3)], reference_answer=0)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 20: {"N": 24}}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["4"],
            (4 / 5) ** 10: ["5"],
            (3 / 4) ** 10: ["3"],
            0.0: ["0"],
            -1.0: ["-4", "4.0", ""],
        },
    ),
    (PATH, {1.0: ["0"], 0.0: ["1"], -1.0: ["-1"]}),  # where there is none
]
SAMPLES = {120: {"difficulty": range(7)}}


def test_gold_is_the_count_over_all_triples(problem):
    vertices = range(1, problem.N + 1)
    far = distances(vertices, problem.edges)
    triads = sum(far[a, b] == far[b, c] == far[a, c] for a, b, c in combinations(vertices, 3))
    assert problem.reference_answer == triads
