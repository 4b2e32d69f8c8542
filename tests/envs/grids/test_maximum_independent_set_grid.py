from rlve.envs.grids.maximum_independent_set_grid import MaximumIndependentSetGrid

PROBLEM = MaximumIndependentSetGrid(
    MAX_N_M=3, N=2, M=3, matrix=[[1, 3, 1], [2, 1, 2]], gold_answer=7
)
SCHEDULE = {d: {"MAX_N_M": n} for d, n in ((0, 3), (1, 4), (7, 10), (8, 12), (20, 50))}
REWARDS = {
    1.0: ["010\n101", "\n010\n\n 101 \n"],
    (3 / 7) ** 3: ["101\n010"],
    0.0: ["000\n000"],
    -0.5: ["110\n000", "010\n010"],
    -1.0: ["010", "010\n10", "010\n102", "0 1 0\n1 0 1", ""],
}
SAMPLES = {120: {"MAX_N_M": range(2, 7)}}


def test_gold_is_the_maximum(problem):
    """The best total for each set of selected columns in the last row."""
    M = len(problem.matrix[0])
    masks = [mask for mask in range(1 << M) if not mask & mask >> 1]
    best = {0: 0}
    for row in problem.matrix:
        value = {mask: sum(row[j] for j in range(M) if mask >> j & 1) for mask in masks}
        best = {
            mask: value[mask] + max(total for above, total in best.items() if not above & mask)
            for mask in masks
        }
    assert problem.gold_answer == max(best.values())
