from itertools import combinations_with_replacement
from random import Random

from rlve.envs.arrays.making_grade import MakingGrade

PROBLEM = MakingGrade(N=4, A=[1, 5, 2, 4], gold_answer=3)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 20: {"N": 24}}
REWARDS = {
    1.0: ["1 2 2 4", "1 4 4 4"],
    (3 / 4) ** 5: ["1 1 2 4"],
    (3 / 6) ** 5: ["4 4 4 4", "5 5 2 2"],
    (3 / 10) ** 5: ["-5 5 5 5"],
    -0.5: ["1 5 2 4", "1 2 2", "1 2 2 4 4", ""],
    -1.0: ["1 2.5 2.5 4", "1, 2, 2, 4"],
}


def test_gold_is_the_least_change_to_all_monotonic_arrays():
    assert PROBLEM.gold_answer == least_change(PROBLEM.A)
    for seed in range(120):
        N = 3 + seed % 4
        problem = MakingGrade.sample(Random(seed), N=N)
        assert sorted(problem.A) not in (problem.A, problem.A[::-1])
        assert problem.gold_answer == least_change(problem.A)


def least_change(A):
    """A best array has only values of A."""
    rising = list(combinations_with_replacement(sorted(set(A)), len(A)))
    arrays = [*rising, *(B[::-1] for B in rising)]
    return min(sum(abs(a - b) for a, b in zip(A, B, strict=True)) for B in arrays)
