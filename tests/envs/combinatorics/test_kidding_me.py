from collections import Counter
from itertools import combinations

from rlve.envs.combinatorics.kidding_me import KiddingMe

PROBLEM = KiddingMe(MAX_N_M=3, N=2, M=2, MOD=998244353, reference_answer=8)
SCHEDULE = {d: {"MAX_N_M": n} for d, n in ((0, 3), (1, 4), (2, 5), (8, 12), (20, 50))}
REWARDS = {1.0: ["8"], 0.0: ["9", "998244352"], -0.5: ["998244353", "-8"], -1.0: ["8!", ""]}
SAMPLES = {100: {"MAX_N_M": range(3, 11)}}


def test_number_of_matrices(problem):
    """Row by row; a row that increases is a set of values."""
    M = problem.M
    rows = list(combinations(range(M + 1), M))
    ways = Counter(rows)
    for _ in range(problem.N - 1):
        ways = {
            row: sum(
                count
                for above, count in ways.items()
                if all(row[j] < above[j + 1] for j in range(M - 1))
            )
            for row in rows
        }
    assert problem.reference_answer == sum(ways.values()) % problem.MOD
