from itertools import permutations
from math import factorial

from rlve.envs.graphs.graph_contain_tree_counting import GraphContainTreeCounting, embedding_count

# A star at 1, and a triangle 0 2 3 with a tail 1 at 3: the centre goes to 3.
PROBLEM = GraphContainTreeCounting(
    N=4,
    edge_density=0.7,
    T_edges=[(0, 1), (1, 2), (1, 3)],
    G_edges=[(0, 2), (2, 3), (0, 3), (1, 3)],
    reference_answer=6,
)
SCHEDULE = {
    0: {"N": 4, "edge_density": [0.5, 0.6, 0.7, 0.8, 0.9]},  # at least three edges
    1: {"N": 5, "edge_density": [0.4, 0.5, 0.6, 0.7, 0.8, 0.9]},
    7: {"N": 11, "edge_density": [i / 10 for i in range(2, 10)]},
    16: {"N": 20, "edge_density": [i / 10 for i in range(1, 10)]},
}
REWARDS = {1.0: ["6"], (3 / 6) ** 10: ["3", "12"], -1.0: ["0", "-6", "six", ""]}
SAMPLES = {120: {"N": range(3, 7), "edge_density": [0.1, 0.3, 0.5, 0.7, 0.9]}}


def test_count_is_that_of_all_permutations(problem):
    edges = {frozenset(edge) for edge in problem.G_edges}
    count = sum(
        all(frozenset((p[u], p[v])) in edges for u, v in problem.T_edges)
        for p in permutations(range(problem.N))
    )
    assert problem.reference_answer == count > 0


def test_counts_with_more_vertices_than_vary_in_one_array():
    complete = [(u, v) for v in range(14) for u in range(v)]
    path = [(v, v + 1) for v in range(13)]
    assert embedding_count(14, path, complete) == factorial(14)
    assert embedding_count(14, path, path) == 2
    assert embedding_count(14, path, [*path, (0, 13)]) == 28
