from itertools import product

from rlve.envs.graphs.coloring_counting import ColoringCounting

# C[0] = 0 and C[1] = 1, or C[0] = 1 and C[1] in 0, 2, or C[0] = 0 and C[1] = 2; C[2] = 0 always.
PROBLEM = ColoringCounting(N=3, edge_density=0.35, edges=[(0, 1)], R=[1, 2, 0], reference_answer=9)
DENSITIES = [0.02, 0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95]
SCHEDULE = {
    0: {"N": 4, "edge_density": DENSITIES[3:]},  # at least one edge
    1: {"N": 5, "edge_density": DENSITIES[2:]},
    7: {"N": 11, "edge_density": DENSITIES},
    13: {"N": 17, "edge_density": DENSITIES},
}
REWARDS = {1.0: ["9"], (6 / 9) ** 10: ["6"], (9 / 18) ** 10: ["18"], -1.0: ["0", "-9", "9.0", ""]}
SAMPLES = {100: {"difficulty": [0, 1]}}


def test_sum_is_that_over_all_colourings(problem):
    assert (
        problem.reference_answer
        == sum(
            len(set(colours))
            for colours in product(*(range(bound + 1) for bound in problem.R))
            if all(colours[u] != colours[v] for u, v in problem.edges)
        )
        > 0
    )
