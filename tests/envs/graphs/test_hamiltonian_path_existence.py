from itertools import permutations

from rlve.envs.graphs.hamiltonian_path_existence import HamiltonianPathExistence

PROBLEM = HamiltonianPathExistence(
    N=4, edge_density=0.35, edges=[(2, 0), (0, 3), (3, 1), (1, 2)], reference_answer="2 0 3 1"
)
SCHEDULE = {
    0: {"N": 3, "edge_density": [0.55, 0.65, 0.75, 0.85, 0.95]},
    1: {"N": 4, "edge_density": [i / 20 for i in range(7, 20, 2)]},
    4: {"N": 7, "edge_density": [i / 20 for i in range(5, 20, 2)]},
    17: {"N": 20, "edge_density": [i / 20 for i in range(3, 20, 2)]},
    18: {"N": 21, "edge_density": [i / 20 for i in range(1, 20, 2)]},
}
REWARDS = {
    1.0: ["2 0 3 1", "1 2 0 3"],
    (1 / 3) ** 5: ["2 0 1 3", "3 1 0 2"],
    0.0: ["0 1 3 2"],
    -0.5: [
        "2 0 3",
        "2 0 3 1 2",
        "2 0 3 3",
        "1 2 3 4",  # vertices are numbered from 0
        "2 0 -1 3",
        "",
    ],
    -1.0: ["2 0 3 x", "2,0,3,1"],
}
SAMPLES = {100: {"difficulty": range(3)}}


def test_an_order_is_correct_if_edges_join_it(problem):
    joined = [[(s, t) in problem.edges for t in range(problem.N)] for s in range(problem.N)]
    for order in permutations(range(problem.N)):
        yield order, all(joined[order[i]][order[i + 1]] for i in range(problem.N - 1))
