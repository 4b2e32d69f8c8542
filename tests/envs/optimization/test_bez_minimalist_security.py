from itertools import product
from random import Random

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
SCHEDULE = {
    0: {"N": 3, "edge_ratio": [1.0, 1.1, 1.2, 1.3]},
    1: {"N": 4, "edge_ratio": [i / 10 for i in range(10, 18)]},
    2: {"N": 5, "edge_ratio": [i / 10 for i in range(10, 22)]},
    20: {"N": 50, "edge_ratio": [i / 10 for i in range(10, 31)]},
}
REWARDS = [
    (
        SMALL,
        {
            1.0: ["1 3 0", "3 1 0"],
            (4 / 5) ** 5: ["2 2 1"],
            -0.5: [
                "1 3",
                "1 3 0 0",
                "",
                "1 2 0",  # an equation fails
                "4 0 0",  # above the bound
                "2 2 -1",
            ],
            -1.0: ["2 2 x"],
        },
    ),
    (LARGE, {1.0: ["2 2 2"], (4 / 6) ** 5: ["2 2 0"]}),
]


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
        directions.add(problem.minimized_or_maximized)
    assert len(directions) == 2
