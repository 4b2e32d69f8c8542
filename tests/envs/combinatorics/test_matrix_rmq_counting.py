from itertools import product
from random import Random

from rlve.envs.combinatorics.matrix_rmq_counting import MatrixRMQCounting

PROBLEM = MatrixRMQCounting(
    N=2, H=1, W=3, M=4, constraints=[(1, 1, 1, 2, 2), (1, 2, 1, 3, 3)], MOD=50, reference_answer=3
)
SCHEDULE = {0: {"N": 2}, 1: {"N": 3}, 20: {"N": 22}}
REWARDS = {1.0: ["3"], 0.0: ["4", "0", "49"], -0.5: ["50", "-1"], -1.0: ["3.0", ""]}


def test_gold_counts_the_matrices():
    assert count(1, 3, 4, PROBLEM.constraints) == 3
    problems = (MatrixRMQCounting.sample(Random(seed), N=2 + seed % 2) for seed in range(2000))
    small = [p for p in problems if p.M ** (p.H * p.W) <= 1500]
    assert len(small) >= 100
    for p in small:
        assert p.reference_answer == count(p.H, p.W, p.M, p.constraints) % p.MOD


def count(H, W, M, constraints):
    total = 0
    for entries in product(range(1, M + 1), repeat=H * W):
        total += all(
            max(entries[x * W + y] for x in range(x1 - 1, x2) for y in range(y1 - 1, y2)) == v
            for x1, y1, x2, y2, v in constraints
        )
    return total
