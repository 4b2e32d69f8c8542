from random import Random

from rlve.envs.grids.grid_bfs import GridBFS

PROBLEM = GridBFS(
    MAX_N_M=4,
    N=2,
    M=3,
    grid=[["1", "0", "X"], ["X", "0", "0"]],
    gold_answer=[[0, 1, -1], [-1, 2, 3]],
    reference_answer="0 1 -1\n-1 2 3",
)
SCHEDULE = {d: {"MAX_N_M": n} for d, n in ((0, 4), (1, 5), (2, 6), (6, 10), (7, 12), (20, 56))}
REWARDS = {
    1.0: ["0 1 -1\n-1 2 3", "\n0 1 -1\n\n-1 2 3\n"],
    (5 / 6) ** 10: ["0 1 -1\n-1 2 2"],
    0.0: ["9 9 9\n9 9 9"],
    -1.0: ["0 1 -1", "0 1 -1 -1 2 3", "0 1 -1\n-1 2", "0 1 X\nX 2 3", ""],
}


def test_distances_are_a_fixed_point_of_relaxation():
    for seed in range(150):
        problem = GridBFS.draw(Random(seed), MAX_N_M=2 + seed % 6)
        assert problem.gold_answer == relaxed(problem.grid)


def relaxed(grid):
    far = 10**6
    cells = {(i, j): far for i, row in enumerate(grid) for j, x in enumerate(row) if x != "X"}
    changed = True
    while changed:
        changed = False
        for i, j in cells:
            beside = [(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)]
            best = min([far, *(cells[cell] + 1 for cell in beside if cell in cells)])
            best = 0 if grid[i][j] == "1" else best
            if best < cells[i, j]:
                cells[i, j] = best
                changed = True
    near = {cell: steps for cell, steps in cells.items() if steps < far}
    return [[near.get((i, j), -1) for j in range(len(row))] for i, row in enumerate(grid)]
