from itertools import combinations, pairwise
from math import comb
from random import Random

from rlve.envs.combinatorics.combination_odd_subsequence_counting import (
    CombinationOddSubsequenceCounting,
)

PROBLEM = CombinationOddSubsequenceCounting(N=3, A=[7, 3, 1], reference_answer=4)
NONE = CombinationOddSubsequenceCounting(N=2, A=[1, 3], reference_answer=0)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = [
    (
        PROBLEM,
        {1.0: ["4"], (3 / 4) ** 10: ["3"], (1 / 2) ** 10: ["8"], 0.0: ["0"], -1.0: ["-4", "4.0"]},
    ),
    (NONE, {1.0: ["0"], 0.0: ["1"]}),
]


def test_number_of_good_subsequences():
    for seed in range(120):
        N = 2 + seed % 8
        problem = CombinationOddSubsequenceCounting.sample(Random(seed), N=N)
        assert len(set(problem.A)) == N
        assert set(problem.A) <= set(range(1, 2 * N))
        assert problem.reference_answer == enumerated(problem.A)


def enumerated(A):
    return sum(
        all(comb(x, y) % 2 for x, y in pairwise(chosen))
        for size in range(2, len(A) + 1)
        for chosen in combinations(A, size)
    )
