from bisect import bisect_right
from itertools import combinations

from rlve.envs.arrays.subsequence_reversal_lnds import SubsequenceReversalLNDS

PROBLEM = SubsequenceReversalLNDS(N=4, A=[2, 3, 4, 1], reference_answer=3)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 2: {"N": 6}, 20: {"N": 24}}
REWARDS = {1.0: ["3"], 0.0: ["4", "2", "-3"], -1.0: ["3.0", "1 2 3", ""]}
SAMPLES = {120: {"N": range(1, 9)}}


def test_answer_is_the_best_over_all_subsequences(problem):
    positions = range(problem.N)
    choices = [c for k in range(1, problem.N + 1) for c in combinations(positions, k)]
    assert problem.reference_answer == max(longest(problem.A, chosen) for chosen in choices)


def longest(A, chosen):
    """The length of a longest non-decreasing subsequence after reversing the chosen positions."""
    A = list(A)
    for position, value in zip(chosen, [A[i] for i in reversed(chosen)], strict=True):
        A[position] = value
    ends = []  # of subsequences of length 1, 2, ..., the least last elements
    for value in A:
        i = bisect_right(ends, value)
        ends[i : i + 1] = [value]
    return len(ends)
