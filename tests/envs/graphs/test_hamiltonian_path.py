from itertools import permutations
from math import inf

from rlve.envs.graphs.hamiltonian_path import HamiltonianPath

PROBLEM = HamiltonianPath(
    N=4,
    edge_density=0.45,
    edges=[(0, 1, 1), (1, 0, 1), (0, 2, 2), (1, 2, 4), (2, 3, 3)],
    reference_answer="1 0 2 3",
    reference_answer_weight=6,
)
SCHEDULE = {
    0: {"N": 3, "edge_density": [0.55, 0.65, 0.75, 0.85, 0.95]},
    1: {"N": 4, "edge_density": [i / 20 for i in range(7, 20, 2)]},
    17: {"N": 20, "edge_density": [i / 20 for i in range(3, 20, 2)]},
    18: {"N": 21, "edge_density": [i / 20 for i in range(1, 20, 2)]},
    20: {"N": 23, "edge_density": [i / 20 for i in range(1, 20, 2)]},
}
REWARDS = {
    1.0: ["1 0 2 3"],
    (6 / 7) ** 5: ["0 1 0 2 3"],  # visits 0 twice
    (6 / 8) ** 5: [
        "0 1 2 3",
        "1 0 1 0 2 3",  # pays an edge twice
    ],
    -0.5: [
        "0 2 3",  # does not visit 1
        "2 3 1 0",  # no edge from 3 to 1
        "3 2 0 1",  # edges against their direction
        "1 0 2 2 3",  # a vertex is no neighbour of itself
        "1 0 2 3 4",  # no such vertex
        "-1 1 0 2 3",
        "",
    ],
    -1.0: ["1 0 2 x", "1->0->2->3"],
}
SAMPLES = {150: {"difficulty": range(4)}}


def test_a_walk_lighter_than_a_stored_gold_gets_no_more_than_one():
    record = PROBLEM.parameters() | {"reference_answer_weight": 7}
    assert HamiltonianPath.from_parameters(record).verify("\\boxed{1 0 2 3}").reward == 1


def test_gold_is_the_minimum_over_all_orders(problem):
    distance = all_distances(problem)
    orders = permutations(range(problem.N))
    weights = [sum(distance[o[i]][o[i + 1]] for i in range(problem.N - 1)) for o in orders]
    assert problem.reference_answer_weight == min(weights)


def all_distances(problem):
    """Floyd and Warshall."""
    vertices = range(problem.N)
    distance = [[0 if s == t else inf for t in vertices] for s in vertices]
    for s, t, w in problem.edges:
        distance[s][t] = w
    for via in vertices:
        for s in vertices:
            for t in vertices:
                distance[s][t] = min(distance[s][t], distance[s][via] + distance[via][t])
    return distance
