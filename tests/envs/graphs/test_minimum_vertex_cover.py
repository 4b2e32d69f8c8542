from itertools import combinations

from rlve.envs.graphs.minimum_vertex_cover import Minimum_VertexCover

PROBLEM = Minimum_VertexCover(
    N=4,
    edge_density=0.5,
    edges=[(0, 1), (1, 2), (0, 2)],
    C=[2, 9, 3, 4],
    reference_answer="0 2",
    gold_answer=5,
)
DENSITIES = [0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9]
SCHEDULE = {
    0: {"N": 4, "edge_density": DENSITIES[4:]},
    4: {"N": 8, "edge_density": DENSITIES[1:]},
    20: {"N": 24, "edge_density": DENSITIES},
}
REWARDS = {
    1.0: ["0 2", "2 0"],
    (5 / 9) ** 5: ["0 2 3"],
    (5 / 11) ** 5: ["0 1"],
    -0.5: [
        "0",  # (1, 2) has no end in it
        "",
        "0 2 0",
        "0 2 4",
        "0 2 -1",
    ],
    -1.0: ["0, 2", "none"],
}
SAMPLES = {100: {"difficulty": range(6)}}


def test_gold_is_the_minimum_over_all_choices(problem):
    vertices = range(problem.N)
    costs = [
        sum(problem.C[v] for v in chosen)
        for size in range(problem.N + 1)
        for chosen in combinations(vertices, size)
        if covers(problem, set(chosen))
    ]
    assert problem.gold_answer == min(costs)


def covers(problem, chosen):
    return not any(chosen.isdisjoint(edge) for edge in problem.edges)
