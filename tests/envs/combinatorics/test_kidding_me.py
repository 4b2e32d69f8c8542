from collections import Counter
from itertools import combinations
from random import Random

import pytest

from rlve.envs.combinatorics.kidding_me import KiddingMe

PROBLEM = KiddingMe(MAX_N_M=3, N=2, M=2, MOD=998244353, reference_answer=8)


def test_schedule():
    levels = [KiddingMe.level(d) for d in (0, 1, 2, 8, 20)]
    assert levels == [[{"MAX_N_M": n}] for n in (3, 4, 5, 12, 50)]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("8", 1.0),
        ("9", 0.0),
        ("998244352", 0.0),
        ("998244353", -0.5),
        ("-8", -0.5),
        ("8!", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


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
