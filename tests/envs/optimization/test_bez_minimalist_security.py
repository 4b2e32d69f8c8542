from itertools import product
from random import Random

import pytest

from rlve.envs.optimization.bez_minimalist_security import BEZMinimalistSecurity

SMALL = BEZMinimalistSecurity(
    N=3,
    edge_ratio=1.0,
    edges=[(0, 1, 4)],
    P=[3, 3, 2],
    minimized_or_maximized="minimized",
    gold_answer=4,
)
LARGE = BEZMinimalistSecurity(
    N=3,
    edge_ratio=1.0,
    edges=[(0, 1, 4)],
    P=[3, 3, 2],
    minimized_or_maximized="maximized",
    gold_answer=6,
)


def test_schedule():
    ratios = [[level["edge_ratio"] for level in BEZMinimalistSecurity.level(d)] for d in range(3)]
    assert ratios[0] == [1.0, 1.1, 1.2, 1.3]
    assert ratios[1] == [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7]
    assert ratios[2][-1] == 2.1
    hardest = BEZMinimalistSecurity.level(20)
    assert len(hardest) == 21
    assert hardest[20] == {"N": 50, "edge_ratio": 3.0}


@pytest.mark.parametrize(
    ("problem", "answer", "reward"),
    [
        (SMALL, "1 3 0", 1.0),
        (SMALL, "3 1 0", 1.0),
        (SMALL, "2 2 1", (4 / 5) ** 5),
        (LARGE, "2 2 2", 1.0),
        (LARGE, "2 2 0", (4 / 6) ** 5),
        (SMALL, "1 3", -0.5),
        (SMALL, "1 3 0 0", -0.5),
        (SMALL, "", -0.5),
        (SMALL, "1 2 0", -0.5),  # an equation fails
        (SMALL, "4 0 0", -0.5),  # above the bound
        (SMALL, "2 2 -1", -0.5),
        (SMALL, "2 2 x", -1.0),
    ],
)
def test_rewards(problem, answer, reward):
    assert problem.verify(f"<answer>{answer}</answer>").reward == pytest.approx(reward, abs=1e-12)


def test_zero_sums():
    zero = {"N": 2, "edge_ratio": 1.0, "edges": [], "P": [0, 1], "gold_answer": 0}
    least = BEZMinimalistSecurity.from_parameters({**zero, "minimized_or_maximized": "minimized"})
    assert least.verify("<answer>0 0</answer>").reward == 1.0
    assert least.verify("<answer>0 1</answer>").reward == 0.0
    zero["P"] = [0, 0]
    most = BEZMinimalistSecurity.from_parameters({**zero, "minimized_or_maximized": "maximized"})
    assert most.verify("<answer>0 0</answer>").reward == 1.0


def test_gold_is_the_best_of_all_choices():
    directions = set()
    for seed in range(120):
        N = 3 + seed % 2
        problem = BEZMinimalistSecurity.sample(
            Random(seed), N=N, edge_ratio=(0.5, 0.8, 1.0)[seed % 3]
        )
        totals = [
            sum(Q)
            for Q in product(*(range(p + 1) for p in problem.P))
            if all(Q[u] + Q[v] == w for u, v, w in problem.edges)
        ]
        best = {"minimized": min, "maximized": max}[problem.minimized_or_maximized]
        assert problem.gold_answer == best(totals)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
        directions.add(problem.minimized_or_maximized)
    assert len(directions) == 2
