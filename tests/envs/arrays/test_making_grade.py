from itertools import combinations_with_replacement

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
SAMPLES = {120: {"N": range(3, 7)}}


def test_gold_is_the_least_change_to_all_monotonic_arrays(problem):
    """A best array has only values of A."""
    assert sorted(problem.A) not in (problem.A, problem.A[::-1])
    A = problem.A
    rising = list(combinations_with_replacement(sorted(set(A)), len(A)))
    arrays = [*rising, *(B[::-1] for B in rising)]
    assert problem.gold_answer == min(
        sum(abs(a - b) for a, b in zip(A, B, strict=True)) for B in arrays
    )
