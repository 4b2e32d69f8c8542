from itertools import product
from random import Random

import pytest

from rlve.envs.optimization.myj import MYJ

PROBLEM = MYJ(
    N=3,
    M=3,
    customers=[(1, 2, 4), (2, 3, 6), (1, 1, 5)],
    gold_answer=14,
    reference_answer="4 6 6",
)


def test_schedule():
    assert [MYJ.level(d)[0]["N"] for d in (0, 1, 20)] == [3, 4, 23]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("4 6 6", 1.0),
        ("4 6 100", 1.0),
        ("5 6 6", (11 / 14) ** 5),
        ("5 5 5", (10 / 14) ** 5),
        ("4 4 6", (12 / 14) ** 5),
        ("7 7 7", 0.0),
        ("0 0 0", 0.0),
        ("9" * 900 + " 6 6", (6 / 14) ** 5),
        ("4 6", -0.5),
        ("4 6 6 6", -0.5),
        ("", -0.5),
        ("4 6 -1", -0.5),
        ("4 6 6.0", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == pytest.approx(reward, abs=1e-12)


def test_gold_is_the_most_that_any_prices_earn():
    for seed in range(100):
        problem = MYJ.sample(Random(seed), N=2 + seed % 2)
        highest = max(c for _, _, c in problem.customers)
        most = 0
        for prices in product(range(highest + 1), repeat=problem.N):
            paid = 0
            for a, b, c in problem.customers:
                lowest = min(prices[shop - 1] for shop in range(a, b + 1))
                paid += lowest if lowest <= c else 0
            most = max(most, paid)
        assert problem.gold_answer == most > 0
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def test_four_shops_with_prices_among_the_limits():
    for seed in range(30):
        problem = MYJ.sample(Random(seed), N=4)
        limits = {c for _, _, c in problem.customers}
        most = max(earned(problem, prices) for prices in product(limits, repeat=4))
        assert problem.gold_answer == most


def earned(problem, prices):
    lowest = [(min(prices[a - 1 : b]), c) for a, b, c in problem.customers]
    return sum(price for price, c in lowest if c >= price)
