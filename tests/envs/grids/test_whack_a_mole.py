from random import Random

from rlve.envs.grids.whack_a_mole import WhackAMole, fewest_swings

PROBLEM = WhackAMole(MAX_N_M=3, N=2, M=3, grid=[[1, 3, 2], [1, 3, 2]], reference_answer=3)
SCHEDULE = {d: {"MAX_N_M": n} for d, n in ((0, 3), (1, 4), (7, 10), (8, 12), (20, 50))}
REWARDS = {1.0: ["3"], 0.0: ["6", "0", "-3"], -1.0: ["3 swings", "3.0", ""]}


def test_swings_are_the_fewest_of_all_hammers():
    assert brute_force(PROBLEM.grid) == PROBLEM.reference_answer
    for seed in range(150):
        problem = WhackAMole.sample(Random(seed), MAX_N_M=2 + seed % 5)
        assert problem.reference_answer == brute_force(problem.grid)
    rng = Random(0)
    for _ in range(50):  # no hammer is planted
        grid = [[rng.randint(0, 1) for _ in range(3)] for _ in range(3)]
        assert fewest_swings(grid) == brute_force(grid)


def brute_force(grid):
    N, M = len(grid), len(grid[0])
    sizes = [(r, c) for r in range(1, N + 1) for c in range(1, M + 1)]
    counts = (swings(grid, r, c) for r, c in sizes)
    return min(count for count in counts if count is not None)


def swings(grid, r, c):
    """One swing at a time; the corner of the hammer is on the first cell that has moles."""
    grid = [list(row) for row in grid]
    count = 0
    while any(map(any, grid)):
        i = next(i for i, row in enumerate(grid) if any(row))
        j = next(j for j, moles in enumerate(grid[i]) if moles)
        covered = [(x, y) for x in range(i, i + r) for y in range(j, j + c)]
        for x, y in covered:
            if x >= len(grid) or y >= len(grid[0]) or not grid[x][y]:
                return None
            grid[x][y] -= 1
        count += 1
    return count
