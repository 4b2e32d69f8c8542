from itertools import permutations
from random import Random

from rlve.envs.permutations.max_sum_lds import MaxSumLDS

PROBLEM = MaxSumLDS(N=4, A=[0, 1, 1, 2, 2], gold_answer=7)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = {
    1.0: ["4 1 3 2"],
    (6 / 7) ** 5: ["3 1 4 2"],
    -0.2: ["1 2 3 4", "4 3 2 1"],
    -0.5: ["4 1 3", "4 1 3 1", "4 1 3 0", "4 1 3 2 5", ""],
    -1.0: ["4, 1, 3, 2"],
}


def test_gold_agrees_with_all_permutations():
    best = {}
    for n in range(3, 7):
        for P in permutations(range(1, n + 1)):
            A, B = lengths(P), lengths(P[::-1])
            best[A] = max(best.get(A, 0), sum(B))
    for seed in range(200):
        problem = MaxSumLDS.sample(Random(seed), N=3 + seed % 4)
        assert problem.gold_answer == best[tuple(problem.A[1:])]


def lengths(values):
    """The longest increasing subsequences that end at each place, from their definition."""
    found = []
    for i, value in enumerate(values):
        found.append(1 + max((found[j] for j in range(i) if values[j] < value), default=0))
    return tuple(found)
