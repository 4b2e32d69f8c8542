from itertools import product

from rlve.envs.trees.min_cost_tree_coverage import MinCostTreeCoverage

# The path 1 - 0 - 2 - 3 - 4.
PROBLEM = MinCostTreeCoverage(
    N=5,
    edges=[(0, 1), (2, 3), (0, 2), (3, 4)],
    covered_vertices=[4, 1, 0],
    D=1,
    W=[2, 5, 1, 2, 3],
    gold_answer=4,
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = {
    1.0: ["0 3", "3 0"],
    (4 / 5) ** 3: ["0 4"],
    (4 / 13) ** 3: ["0 1 2 3 4"],
    -0.2: ["2 3", "0", ""],
    -0.5: [
        "0 0",  # a repeated vertex, covering or not
        "0 3 3",
        "0 5",
        "0 -1",
    ],
    -1.0: ["0, 3", "x"],
}
SAMPLES = {120: {"difficulty": range(6)}}


def test_gold_is_the_cheapest_of_all_selections(problem):
    near = balls(problem)
    required = sum(1 << v for v in problem.covered_vertices)
    cheapest = 10**9
    for chosen in product((False, True), repeat=problem.N):
        covered = 0
        for v in range(problem.N):
            covered |= near[v] * chosen[v]
        if covered & required == required:
            cost = sum(problem.W[v] for v in range(problem.N) if chosen[v])
            cheapest = min(cheapest, cost)
    assert problem.gold_answer == cheapest


def balls(problem):
    """The vertices within distance D of each, as bits."""
    near = [1 << v for v in range(problem.N)]
    for _ in range(problem.D):
        wider = list(near)
        for u, v in problem.edges:
            wider[u] |= near[v]
            wider[v] |= near[u]
        near = wider
    return near
