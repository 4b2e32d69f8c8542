from itertools import product
from random import Random

import pytest

from rlve.envs.optimization.knapsack import Knapsack

PROBLEM = Knapsack(N=3, W=[1, 2, 3], V=[2, 2, 5], W_max=4, gold_answer=7)


def test_schedule():
    assert [Knapsack.level(d)[0]["N"] for d in (0, 1, 2, 8, 20)] == [3, 4, 5, 12, 50]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("0 2", 1.0),
        ("2 0", 1.0),
        ("0 1", (4 / 7) ** 5),
        ("2", (5 / 7) ** 5),
        ("", 0.0),
        ("1 2", -0.5),  # too heavy
        ("0 0", -0.5),
        ("3", -0.5),
        ("-1", -0.5),
        ("0; 2", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == pytest.approx(reward, abs=1e-12)


def test_gold_is_the_best_of_all_choices():
    for seed in range(120):
        problem = Knapsack.sample(Random(seed), N=2 + seed % 7)
        best = 0
        for chosen in product((0, 1), repeat=problem.N):
            items = list(zip(chosen, problem.W, problem.V, strict=True))
            if sum(c * w for c, w, _ in items) <= problem.W_max:
                best = max(best, sum(c * v for c, _, v in items))
        assert problem.gold_answer == best > 0
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
