from random import Random

import pytest

from rlve.envs.number_theory.sum_divisor_num import Sum_DivisorNum

PROBLEM = Sum_DivisorNum(MAX_R=10, R=6, L=4, reference_answer=9)  # 3 + 2 + 4


def test_schedule():
    bounds = [Sum_DivisorNum.level(d)[0]["MAX_R"] for d in (0, 1, 2, 3, 4, 20)]
    assert bounds == [10, 15, 22, 33, 49, 31618]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("9", 1.0),
        ("10", (9 / 10) ** 10),
        ("6", (6 / 9) ** 10),
        ("9" * 1000, 0.0),
        ("0", -1.0),
        ("-9", -1.0),
        ("9.0", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_answer_counts_the_divisors():
    divisors = [0, *(sum(n % t == 0 for t in range(1, n + 1)) for n in range(1, 1000))]
    for seed in range(200):
        problem = Sum_DivisorNum.sample(Random(seed), MAX_R=2 + 4 * seed)
        assert 1 <= problem.L <= problem.R <= problem.MAX_R
        assert problem.R >= 2
        assert problem.reference_answer == sum(divisors[problem.L : problem.R + 1])
