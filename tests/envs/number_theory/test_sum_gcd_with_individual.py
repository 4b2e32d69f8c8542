from math import gcd
from random import Random

import pytest

from rlve.envs.number_theory.sum_gcd_with_individual import SumGCDWithIndividual

PROBLEM = SumGCDWithIndividual(MAX_N=32, N=6, reference_answer=15)  # 1 + 2 + 3 + 2 + 1 + 6


def test_schedule():
    bounds = [SumGCDWithIndividual.level(d)[0]["MAX_N"] for d in (0, 1, 2, 3, 10)]
    assert bounds == [32, 48, 72, 108, 1842]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("15", 1.0),
        ("16", (15 / 16) ** 10),
        ("12", (12 / 15) ** 10),
        ("9" * 1000, 0.0),
        ("0", -1.0),
        ("-15", -1.0),
        ("1+2+3+2+1+6", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_answer_is_the_sum():
    for seed in range(300):
        problem = SumGCDWithIndividual.sample(Random(seed), MAX_N=4 + 5 * seed)
        assert 4 <= problem.N <= problem.MAX_N
        total = sum(gcd(i, problem.N) for i in range(1, problem.N + 1))
        assert problem.reference_answer == total
