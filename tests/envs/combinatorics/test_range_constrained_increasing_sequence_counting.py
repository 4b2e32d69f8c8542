from itertools import pairwise, product
from random import Random

from rlve.envs.combinatorics.range_constrained_increasing_sequence_counting import (
    RangeConstrained_IncreasingSequence_Counting,
)

PROBLEM = RangeConstrained_IncreasingSequence_Counting(N=2, L=[1, 2], R=[2, 3], reference_answer=7)
SCHEDULE = {d: {"N": n} for d, n in enumerate([2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14])}
REWARDS = {
    1.0: ["7"],
    0.0: ["8", "0", "1000000006"],
    -0.5: ["1000000007", "-1"],
    -1.0: ["seven", ""],
}
SAMPLES = {120: {"N": range(2, 5)}}


def test_gold_counts_the_assignments(problem):
    bounds = list(zip(problem.L, problem.R, strict=True))
    assert all(1 <= low <= high <= problem.N**2 for low, high in bounds)
    count = 0
    for values in product(*([0, *range(low, high + 1)] for low, high in bounds)):
        taken = [value for value in values if value]
        count += bool(taken) and all(a < b for a, b in pairwise(taken))
    assert problem.reference_answer == count


def test_large_counts_are_reduced():
    problem = RangeConstrained_IncreasingSequence_Counting.sample(Random(1), N=15)
    counts = {0: 1}
    for low, high in zip(problem.L, problem.R, strict=True):
        for value in reversed(range(low, high + 1)):
            smaller = sum(count for last, count in counts.items() if last < value)
            counts[value] = counts.get(value, 0) + smaller
    assert problem.reference_answer == (sum(counts.values()) - 1) % (10**9 + 7)
