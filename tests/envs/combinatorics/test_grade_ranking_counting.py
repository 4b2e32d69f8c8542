from collections import Counter
from itertools import product

from rlve.envs.combinatorics.grade_ranking_counting import GradeRankingCounting

PROBLEM = GradeRankingCounting(
    MAX_N_M=2, N=2, M=2, MOD=998244353, U=[2, 2], R=[0, 1], K=0, reference_answer=3
)
SCHEDULE = {d: {"MAX_N_M": n} for d, n in ((0, 2), (1, 3), (2, 4), (9, 12), (20, 45))}
REWARDS = {1.0: ["3"], 0.0: ["4", "998244352"], -0.5: ["998244353", "-1"], -1.0: ["0x3", ""]}
SAMPLES = {120: {"MAX_N_M": range(2, 5)}}


def test_number_of_matrices(problem):
    count = enumerated(problem)
    assert count > 0
    assert problem.reference_answer == count % problem.MOD


def enumerated(problem):
    """All columns, one by one, by the set of rows that have been above row 0 so far."""
    above = Counter({frozenset(): 1})
    for high, rank in zip(problem.U, problem.R, strict=True):
        extended = Counter()
        for column in product(range(1, high + 1), repeat=problem.N):
            rows = {i for i in range(problem.N) if column[i] > column[0]}
            if len(rows) == rank:
                for before, count in above.items():
                    extended[before | rows] += count
        above = extended
    return sum(count for rows, count in above.items() if problem.N - 1 - len(rows) == problem.K)
