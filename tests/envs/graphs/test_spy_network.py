from itertools import combinations

from rlve.envs.graphs.spy_network import SpyNetwork

PROBLEM = SpyNetwork(
    N=5,
    edge_density=0.15,
    dominated_probability=0.5,
    edges=[(0, 1), (1, 0), (1, 2), (3, 2)],
    costs=[5, 2, 1, 3, 4],
    gold_answer=9,
    reference_answer="1 3 4",
)
CHANCES = [0.3, 0.4, 0.5, 0.6, 0.7]
SCHEDULE = {
    0: {"N": 4, "edge_density": [0.1, 0.15], "dominated_probability": CHANCES},
    1: {"N": 5, "edge_density": [0.05, 0.1, 0.15], "dominated_probability": CHANCES},
    20: {
        "N": 56,
        "edge_density": [0.01, 0.02, 0.03, 0.05, 0.1, 0.15],
        "dominated_probability": CHANCES,
    },
}
REWARDS = {
    1.0: ["1 3 4", "4 1 3"],
    (9 / 12) ** 3: ["0 3 4"],
    (9 / 15) ** 3: ["0 1 2 3 4"],
    -0.3: [
        "1 3",  # 4 is not reached
        "2 3 4",
        "",
    ],
    -0.5: ["1 3 4 1", "1 3 4 5", "1 3 4 -1"],
    -1.0: ["1, 3, 4"],
}
SAMPLES = {150: {"N": range(4, 9), "edge_density": [0.1, 0.2, 0.4], "dominated_probability": 0.5}}


def test_gold_is_the_minimum_over_all_choices(problem):
    costs = [
        sum(problem.costs[v] for v in chosen)
        for size in range(problem.N + 1)
        for chosen in combinations(range(problem.N), size)
        if reaches_all(problem, set(chosen))
    ]
    assert problem.gold_answer == min(costs)


def reaches_all(problem, found):
    more = {t for s, t in problem.edges if s in found} - found
    return reaches_all(problem, found | more) if more else len(found) == problem.N
