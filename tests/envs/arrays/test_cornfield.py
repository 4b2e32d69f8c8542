from itertools import combinations_with_replacement

from rlve.envs.arrays.cornfield import Cornfield

PROBLEM = Cornfield(N=4, H=[3, 1, 3, 2], K=3, gold_answer=4)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 10: {"N": 16}, 20: {"N": 50}}
REWARDS = {
    1.0: ["1 3\n1 1\n3 3"],
    (3 / 4) ** 5: ["3 3\n\n1 2\n1 3\n", "1 3\n1 3", "3 3"],
    (2 / 4) ** 5: ["0 0", ""],
    -0.5: ["1 3\n1 1\n3 3\n3 3", "3 4", "-1 2", "3 2"],
    -1.0: ["1 3 1 3", "1\n3", "1 x"],
}
SAMPLES = {120: {"N": range(3, 6)}}


def test_gold_is_the_best_of_all_sets_of_operations(problem):
    N = problem.N
    if N == 5 and problem.K > 3:
        return
    H = problem.H
    intervals = [(L, R) for L in range(len(H)) for R in range(L, len(H))]
    best = 0
    for operations in combinations_with_replacement(intervals, problem.K):
        raised = [h + sum(L <= i <= R for L, R in operations) for i, h in enumerate(H)]
        best = max(best, longest(raised))
    assert problem.gold_answer == best


def longest(H):
    """The longest non-decreasing subsequence."""
    ending = []
    for i, h in enumerate(H):
        ending.append(1 + max((ending[j] for j in range(i) if H[j] <= h), default=0))
    return max(ending)
