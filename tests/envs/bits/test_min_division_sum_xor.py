from itertools import combinations
from random import Random

from rlve.envs.bits.min_division_sum_xor import MinDivisionSumXor

PROBLEM = MinDivisionSumXor(N=4, A=[1, 2, 4, 3], K=3, gold_answer=7)
ZEROS = MinDivisionSumXor(N=3, A=[0, 0, 0], K=2, gold_answer=0)
IMPOSSIBLE = MinDivisionSumXor(N=2, A=[1, 2], K=2, gold_answer=0)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: [
                "2 4",  # 3 | 7
                "2 3 4",  # 3 | 4 | 3
                "3 4",  # 7 | 3
            ],
            (7 / 9) ** 5: ["1 4"],  # 1 | 9
            (7 / 10) ** 5: ["4"],
            -0.5: [
                "1 2 3 4",  # too many batches
                "2 3",  # the last batch is missing
                "2 5",
                "0 4",
                "-1 4",
                "2 2 4",
                "3 2 4",
                "5 4",
            ],
            -1.0: ["", "2, 4"],
        },
    ),
    (ZEROS, {1.0: ["1 3"]}),
    (IMPOSSIBLE, {0.0: ["1 2"]}),
]


def test_gold_is_the_smallest_of_all_divisions():
    for seed in range(150):
        problem = MinDivisionSumXor.sample(Random(seed), N=2 + seed % 7)
        assert 2 <= problem.K <= problem.N
        assert problem.gold_answer == min(all_costs(problem))


def all_costs(problem):
    for cuts in range(problem.K):
        for places in combinations(range(1, problem.N), cuts):
            total = batch = 0
            for i, x in enumerate(problem.A):
                if i in places:
                    total, batch = total | batch, 0
                batch += x
            yield total | batch
