from collections import Counter
from itertools import combinations
from random import Random

from rlve.envs.combinatorics.kidding_me import KiddingMe

PROBLEM = KiddingMe(MAX_N_M=3, N=2, M=2, MOD=998244353, reference_answer=8)
SCHEDULE = {d: {"MAX_N_M": n} for d, n in ((0, 3), (1, 4), (2, 5), (8, 12), (20, 50))}
REWARDS = {1.0: ["8"], 0.0: ["9", "998244352"], -0.5: ["998244353", "-8"], -1.0: ["8!", ""]}


def test_number_of_matrices():
    for seed in range(100):
        problem = KiddingMe.sample(Random(seed), MAX_N_M=3 + seed % 8)
        assert problem.reference_answer == enumerated(problem.N, problem.M) % problem.MOD


def enumerated(N, M):
    """Row by row; a row that increases is a set of values."""
    rows = list(combinations(range(M + 1), M))
    ways = Counter(rows)
    for _ in range(N - 1):
        ways = {
            row: sum(
                count
                for above, count in ways.items()
                if all(row[j] < above[j + 1] for j in range(M - 1))
            )
            for row in rows
        }
    return sum(ways.values())
