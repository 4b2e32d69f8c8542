from itertools import combinations, combinations_with_replacement
from random import Random

from rlve.envs.grids.max_grid_path_intersection import MaxGridPathIntersection, most_collected

PROBLEM = MaxGridPathIntersection(
    N=3, K=1, grid=[[1, 2, 3], [0, 3, 0], [3, 1, 2]], reference_answer=9
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 7: {"N": 10}, 20: {"N": 23}}
REWARDS = {1.0: ["9"], 0.0: ["8", "0", "-9"], -1.0: ["9.0", "nine", ""]}
SAMPLES = {100: {"N": [3, 4]}}


def test_total_is_the_largest_of_all_walks(problem):
    assert problem.reference_answer == brute_force(problem.grid, problem.K)


def test_more_walks_than_the_generator_asks_for():
    for seed in range(20):
        rng = Random(seed)
        grid = [[rng.randint(0, 9) for _ in range(3)] for _ in range(3)]
        for K in (2, 3, 4):
            assert most_collected(grid, K) == brute_force(grid, K)


def brute_force(grid, K):
    N = len(grid)
    walks = []
    for downs in combinations(range(2 * N - 2), N - 1):
        i = j = 0
        cells = {(0, 0)}
        for step in range(2 * N - 2):
            i, j = (i + 1, j) if step in downs else (i, j + 1)
            cells.add((i, j))
        walks.append(cells)
    return max(
        sum(grid[i][j] for i, j in set().union(*chosen))
        for chosen in combinations_with_replacement(walks, K)
    )
