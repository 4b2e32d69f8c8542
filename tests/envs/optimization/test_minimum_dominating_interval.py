from itertools import combinations
from random import Random

from rlve.envs.optimization.minimum_dominating_interval import Minimum_DominatingInterval

PROBLEM = Minimum_DominatingInterval(
    N=5,
    M=4,
    K_density=0.5,
    intervals=[(1, 1, 9), (1, 3, 2), (3, 4, 4), (2, 2, 1)],
    K=2,
    reference_answer="2 3",
    gold_answer=7,
)
SCHEDULE = {
    0: {"N": 3, "M": 6, "K_density": [0.1, 0.2, 0.3, 0.5, 0.7, 0.9]},
    1: {"N": 4, "M": 8, "K_density": [0.1, 0.2, 0.3, 0.5, 0.7, 0.9]},
    20: {"N": 50, "M": 100, "K_density": [0.1, 0.2, 0.3, 0.5, 0.7, 0.9]},
}
REWARDS = {
    1.0: ["2 3", "3 2", "4 2"],
    (7 / 12) ** 5: ["1 2"],
    (7 / 15) ** 5: ["1 4"],
    -0.5: [
        "2",
        "2 3 4",
        "2 2",
        "",
        "2 5",  # in no interval
        "2 0",
        "2 -3",
        "2 6",
    ],
    -1.0: ["2, 3"],
}


def test_gold_is_the_smallest_over_all_choices():
    for seed in range(120):
        N = 3 + seed % 5
        density = (0.1, 0.3, 0.5, 0.7, 0.9)[seed % 7 % 5]
        problem = Minimum_DominatingInterval.sample(
            Random(seed), N=N, M=2 + seed % (2 * N - 1), K_density=density
        )
        covered = {p for a, b, _ in problem.intervals for p in range(a, b + 1)}
        assert max(1, int(density * len(covered))) == problem.K
        assert len({(a, b) for a, b, _ in problem.intervals}) == problem.M
        assert problem.gold_answer == min(
            sum(c for a, b, c in problem.intervals if set(range(a, b + 1)) & set(points))
            for points in combinations(covered, problem.K)
        )
