from math import gcd
from random import Random

import pytest

from rlve.envs.number_theory.sum_phi_interval import SumPHIInterval

PROBLEM = SumPHIInterval(MAX_DELTA=5, L=4, R=6, reference_answer=7)  # 2 + 1 + 4


def test_schedule():
    bounds = [SumPHIInterval.level(d)[0]["MAX_DELTA"] for d in (0, 1, 2, 3, 4, 5, 20)]
    assert bounds == [5, 6, 7, 8, 9, 10, 62]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("7", 1.0),
        ("8", (7 / 8) ** 10),
        ("5", (5 / 7) ** 10),
        ("0", 0.0),
        ("9" * 1000, 0.0),
        ("-7", -1.0),
        ("7.0", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_answer_counts_what_is_not_coprime():
    for seed in range(150):
        problem = SumPHIInterval.sample(Random(seed), MAX_DELTA=1 + seed // 8)
        L, R = problem.L, problem.R
        assert 1 <= L <= problem.MAX_DELTA**2
        assert 1 <= R - L <= problem.MAX_DELTA
        total = sum(gcd(a, x) > 1 for x in range(L, R + 1) for a in range(1, x + 1))
        assert problem.reference_answer == total
