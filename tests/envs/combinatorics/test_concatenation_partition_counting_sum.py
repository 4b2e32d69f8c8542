from functools import cache
from itertools import product
from random import Random

from rlve.envs.combinatorics.concatenation_partition_counting_sum import (
    ConcatenationPartitionCountingSum,
)

PROBLEM = ConcatenationPartitionCountingSum(N=2, M=2, S="02", MOD=3, reference_answer=1)
SCHEDULE = {d: {"N": n, "M": range(1, 6)} for d, n in ((0, 2), (1, 3), (2, 4), (9, 12), (20, 45))}
REWARDS = {1.0: ["1"], 0.0: ["0", "2"], -0.5: ["3", "-2"], -1.0: ["F[2]", ""]}
SAMPLES = {150: {"N": range(1, 4), "M": range(1, 6)}}


def test_sum_over_all_cuttings(problem):
    terms = recurrence(problem.M, 1000)
    total = 0
    for cuts in product(("", "+"), repeat=problem.N - 1):
        signs = (*cuts, "")
        pieces = "".join(digit + cut for digit, cut in zip(problem.S, signs, strict=True))
        total += terms[sum(map(int, pieces.split("+")))]
    assert problem.reference_answer == total % problem.MOD


def test_one_term_gives_the_number_of_cuttings():
    problem = ConcatenationPartitionCountingSum.sample(Random(0), N=40, M=1)
    assert problem.reference_answer == 2**39 % problem.MOD


@cache
def recurrence(M, count):
    F = [1]
    while len(F) < count:
        F.append(sum(F[-M:]))
    return F
