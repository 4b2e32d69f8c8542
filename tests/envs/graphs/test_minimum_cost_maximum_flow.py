from itertools import product
from math import inf

from rlve.envs.graphs.minimum_cost_maximum_flow import MinimumCost_MaximumFlow

PROBLEM = MinimumCost_MaximumFlow(
    N=4,
    edge_density=0.5,
    edges=[(0, 1, 5, 1), (0, 2, 5, 1), (1, 3, 5, 1), (2, 3, 2, 9), (2, 1, 5, 1), (1, 2, 5, 1)],
    reference_answer="5 2 5 2 0 0",
    gold_answer={"flow": 7, "cost": 30},
)
SCHEDULE = {
    d: {"N": n, "edge_density": [0.01, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5]}
    for d, n in ((0, 4), (1, 5), (8, 14), (20, 56))
}
REWARDS = {
    1.0: ["5 2 5 2 0 0"],
    0.5 + 0.5 * (30 / 31) ** 5: ["4 3 5 2 1 0"],  # a detour
    0.5 + 0.5 * (30 / 36) ** 5: ["5 2 5 2 3 3"],  # a needless cycle
    0.5 * (5 / 7) ** 5: ["5 0 5 0 0 0"],
    0.0: ["0 0 0 0 0 0"],
    -0.5: [
        "6 2 6 2 0 0",  # above a capacity
        "5 2 5 2 -1 -1",
        "5 3 5 2 0 0",  # a unit is lost at vertex 2
        "5 1 5 2 0 0",
    ],
    -1.0: [
        "5 2 5 2 0",  # too few
        "5 2 5 2 0 0 0",  # too many
        "",
        "5, 2, 5, 2, 0, 0",
    ],
}
SAMPLES = {100: {"difficulty": range(5)}}


def test_reference_is_a_maximum_flow_that_no_cycle_makes_cheaper(problem):
    assert problem.gold_answer["flow"] == smallest_cut(problem)
    distance = [[inf] * problem.N for _ in range(problem.N)]
    amounts = map(int, problem.reference().split())
    for amount, (s, t, capacity, w) in zip(amounts, problem.edges, strict=True):
        if amount < capacity:
            distance[s][t] = min(distance[s][t], w)
        if amount:
            distance[t][s] = min(distance[t][s], -w)
    for k, i, j in product(range(problem.N), repeat=3):
        distance[i][j] = min(distance[i][j], distance[i][k] + distance[k][j])
    assert all(distance[v][v] >= 0 for v in range(problem.N))


def smallest_cut(problem):
    """The least capacity that leads from a set with the source to the others with the sink."""
    return min(
        sum(c for s, t, c, _ in problem.edges if side >> s & 1 and not side >> t & 1)
        for side in range(1, 2 ** (problem.N - 1), 2)
    )
