from itertools import combinations

from rlve.envs.graphs.minimum_dominating_set import Minimum_DominatingSet

PROBLEM = Minimum_DominatingSet(
    N=4,
    edge_density=0.5,
    edges=[(0, 1), (1, 2), (0, 2)],
    C=[2, 9, 3, 4],
    covering=[7, 7, 7, 8],
    reference_answer="0 3",
    gold_answer=6,
)
DENSITIES = [0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9]
SCHEDULE = {
    0: {"N": 4, "edge_density": DENSITIES[4:]},
    4: {"N": 8, "edge_density": DENSITIES[1:]},
    20: {"N": 24, "edge_density": DENSITIES},
}
REWARDS = {
    1.0: ["0 3", "3 0"],
    (6 / 7) ** 5: ["2 3"],
    (6 / 18) ** 5: ["0 1 2 3"],
    -0.5: [
        "0 1 2",  # 3 has no neighbour
        "3",
        "",
        "0 3 0",
        "0 3 4",
        "0 3 -1",
    ],
    -1.0: ["0, 3", "none"],
}
SAMPLES = {100: {"difficulty": range(6)}}


def test_gold_is_the_minimum_over_all_choices(problem):
    vertices = range(problem.N)
    costs = [
        sum(problem.C[v] for v in chosen)
        for size in range(problem.N + 1)
        for chosen in combinations(vertices, size)
        if dominates(problem, set(chosen))
    ]
    assert problem.gold_answer == min(costs)


def dominates(problem, chosen):
    reached = set(chosen)
    for u, v in problem.edges:
        if u in chosen or v in chosen:
            reached |= {u, v}
    return len(reached) == problem.N
