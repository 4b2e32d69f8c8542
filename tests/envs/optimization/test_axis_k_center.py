from itertools import combinations
from random import Random

import pytest

from rlve.envs.optimization.axis_k_center import Axis_KCenter

PROBLEM = Axis_KCenter(N=5, K=2, X=[0, 1, 3, 10, 12], gold_answer=5)


def test_schedule():
    assert [Axis_KCenter.level(d)[0]["N"] for d in (0, 1, 2, 7, 20)] == [4, 5, 6, 12, 56]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("1 3", 1.0),
        ("4 1", 1.0),
        ("0 3", (5 / 6) ** 5),
        ("0 1", (5 / 22) ** 5),
        ("1", -0.5),  # too few
        ("1 3 4", -0.5),
        ("1 1", -0.5),
        ("1 5", -0.5),
        ("-1 1", -0.5),
        ("", -0.5),
        ("1, 3", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == pytest.approx(reward, abs=1e-12)


def test_gold_is_the_cheapest_of_all_choices():
    for seed in range(200):
        problem = Axis_KCenter.sample(Random(seed), N=4 + seed % 5)
        costs = [
            sum(min(abs(x - y) for y in chosen) for x in problem.X)
            for chosen in combinations(problem.X, problem.K)
        ]
        assert problem.gold_answer == min(costs)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
