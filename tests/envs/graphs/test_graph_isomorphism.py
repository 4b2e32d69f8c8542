from itertools import permutations

from rlve.envs.graphs.graph_isomorphism import GraphIsomorphism

# The path 0 1 2 3 becomes the path 1 3 0 2.
PROBLEM = GraphIsomorphism(
    N=4,
    edge_density=0.55,
    G1_edges=[(0, 1), (1, 2), (2, 3)],
    G2_edges=[(0, 3), (1, 3), (0, 2)],
    reference_answer="1 3 0 2",
)
SCHEDULE = {
    0: {"N": 3, "edge_density": [i / 20 for i in range(7, 20, 2)]},  # at least one edge
    1: {"N": 4, "edge_density": [i / 20 for i in range(5, 20, 2)]},
    7: {"N": 10, "edge_density": [i / 20 for i in range(1, 20, 2)]},
    20: {"N": 23, "edge_density": [i / 20 for i in range(1, 20, 2)]},
}
REWARDS = {
    1.0: ["1 3 0 2", "2 0 3 1"],
    (2 / 3) ** 10: ["0 3 1 2"],
    0.0: ["0 1 2 3"],
    -0.5: [
        "1 3 0",  # too short
        "1 3 0 2 4",  # too long
        "1 3 0 0",  # 0 twice
        "1 3 0 4",
        "",
    ],
    -1.0: ["1, 3, 0, 2"],
}
SAMPLES = {100: {"difficulty": range(3)}}


def test_right_are_just_the_isomorphisms(problem):
    goal = {frozenset(edge) for edge in problem.G2_edges}
    for p in permutations(range(problem.N)):
        yield p, {frozenset((p[u], p[v])) for u, v in problem.G1_edges} == goal
