from itertools import permutations
from random import Random

from rlve.envs.grids.minimum_unconflicted_grid_k_max import MinimumUnconflictedGridKMax

PROBLEM = MinimumUnconflictedGridKMax(
    MAX_N_M=4, N=3, M=4, K=2, A=[[5, 9, 9, 2], [9, 9, 9, 3], [4, 9, 9, 1]], gold_answer=4
)
SCHEDULE = {d: {"MAX_N_M": n} for d, n in ((0, 3), (1, 4), (7, 10), (8, 12), (20, 50))}
REWARDS = {
    1.0: ["2 4 1", "4 2 1"],
    (4 / 5) ** 5: ["1 4 2"],
    (4 / 9) ** 5: ["2 3 4"],
    -0.5: ["4 4 1", "2 4", "1 2 3 4", "0 4 1", "5 4 1", ""],
    -1.0: ["2, 4, 1", "two 4 1"],
}


def test_gold_is_the_minimum_over_all_choices():
    problems = [MinimumUnconflictedGridKMax.draw(Random(s), MAX_N_M=3 + s % 3) for s in range(150)]
    for problem in [PROBLEM, *problems]:
        assert problem.gold_answer == min(
            sorted((row[j] for row, j in zip(problem.A, choice, strict=True)), reverse=True)[
                problem.K - 1
            ]
            for choice in permutations(range(problem.M), problem.N)
        )
