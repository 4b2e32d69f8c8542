from functools import cache
from itertools import combinations, pairwise

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
SAMPLES = {120: {"N": range(1, 5)}}


def test_number_of_integers(problem):
    assert len(str(problem.R)) == problem.N
    integers = range(problem.L, problem.R + 1)
    assert problem.reference_answer == sum(power(str(n)) == problem.K for n in integers)


def test_every_integer_has_one_power():
    for L, R in ((0, 10**5), (987654321, 10**10 + 7)):
        assert sum(between(L, R, K) for K in range(1, 11)) == R - L + 1


@cache
def power(digits):
    return max(
        size
        for size in range(1, len(digits) + 1)
        if any(all(x < y for x, y in pairwise(kept)) for kept in combinations(digits, size))
    )
