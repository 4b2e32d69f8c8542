from math import comb, factorial

import pytest

from rlve.envs.graphs.cycle_counting import CycleCounting, cycle_count

# Two triangles with a common edge.
PROBLEM = CycleCounting(
    N=4, edge_density=0.85, edges=[(0, 1), (1, 2), (0, 2), (1, 3), (2, 3)], reference_answer=3
)
TREE = CycleCounting(N=4, edge_density=0.25, edges=[(0, 1)], reference_answer=0)
SCHEDULE = {
    d: {"N": n, "edge_density": [0.25, 0.45, 0.65, 0.85]}
    for d, n in ((0, 4), (1, 5), (7, 11), (16, 20))
}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["3"],
            (2 / 3) ** 10: ["2"],
            (3 / 6) ** 10: ["6"],
            0.0: ["0"],
            -1.0: ["-3", "three", ""],
        },
    ),
    (TREE, {1.0: ["0"], 0.0: ["1"]}),  # without a cycle
]
SAMPLES = {120: {"difficulty": range(5)}}


def test_count_is_that_of_all_cycles(problem):
    near = [
        {x for edge in problem.edges if v in edge for x in edge if x != v} for v in range(problem.N)
    ]

    def closed(path):
        found = len(path) > 2 and path[0] in near[path[-1]]
        return found + sum(
            closed([*path, v]) for v in near[path[-1]] if v > path[0] and v not in path
        )

    assert problem.reference_answer == sum(closed([v]) for v in range(problem.N)) // 2


@pytest.mark.parametrize("n", [3, 6, 12, 14, 20])
def test_count_in_complete_graphs(n):
    edges = [(u, v) for v in range(n) for u in range(v)]
    cycles = sum(comb(n, k) * factorial(k - 1) // 2 for k in range(3, n + 1))
    assert cycle_count(n, edges) == cycles
