from itertools import combinations, pairwise
from random import Random

from rlve.envs.combinatorics.digit_lis_counting import DigitLISCounting, between

PROBLEM = DigitLISCounting(N=2, R=13, L=9, K=2, reference_answer=2)
NONE = DigitLISCounting(N=2, R=11, L=11, K=2, reference_answer=0)
SCHEDULE = {0: {"N": 2}, 1: {"N": 3}, 20: {"N": 22}}
REWARDS = [
    (
        PROBLEM,
        {1.0: ["2"], (1 / 2) ** 10: ["1"], (2 / 5) ** 10: ["5"], 0.0: ["0"], -1.0: ["-2", "12 13"]},
    ),
    (NONE, {1.0: ["0"], 0.0: ["1"]}),
]


def test_number_of_integers():
    powers = [power(str(n)) for n in range(10**4)]
    for seed in range(120):
        problem = DigitLISCounting.sample(Random(seed), N=1 + seed % 4)
        assert len(str(problem.R)) == problem.N
        expected = powers[problem.L : problem.R + 1].count(problem.K)
        assert problem.reference_answer == expected


def test_every_integer_has_one_power():
    for L, R in ((0, 10**5), (987654321, 10**10 + 7)):
        assert sum(between(L, R, K) for K in range(1, 11)) == R - L + 1


def power(digits):
    return max(
        size
        for size in range(1, len(digits) + 1)
        if any(all(x < y for x, y in pairwise(kept)) for kept in combinations(digits, size))
    )
