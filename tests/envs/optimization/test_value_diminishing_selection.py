from itertools import permutations
from random import Random

import pytest

from rlve.envs.optimization.value_diminishing_selection import ValueDiminishingSelection

PROBLEM = ValueDiminishingSelection(N=3, W=[4, 3, 1], R=[3, 1, 2], gold_answer=6)
WORTHLESS = ValueDiminishingSelection(N=3, W=[0, 0, 0], R=[3, 1, 2], gold_answer=0)


@pytest.mark.parametrize(("d", "N"), [(0, 3), (1, 4), (8, 12), (20, 50)])
def test_schedule(d, N):
    assert ValueDiminishingSelection.level(d) == [{"N": N}]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("1 0", 1.0),
        ("1 2 0", (4 / 6) ** 5),
        ("0 1", (4 / 6) ** 5),
        ("0", (4 / 6) ** 5),
        ("0 2 1", 0.0),  # 4 - 2 - 2
        ("2 0 1", (1 / 6) ** 5),
        ("", 0.0),
        ("1 1", -0.5),
        ("1 3", -0.5),
        ("-1 0", -0.5),
        ("1, 0", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


@pytest.mark.parametrize(("answer", "reward"), [("", 1.0), ("0 1", 1.0), ("3", -0.5)])
def test_rewards_where_nothing_can_be_gained(answer, reward):
    assert WORTHLESS.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_largest_over_all_ordered_selections():
    for seed in range(120):
        problem = ValueDiminishingSelection.sample(Random(seed), N=3 + seed % 3)
        assert problem.gold_answer == max(
            sum(problem.W[i] - sum(problem.R[j] for j in order[:k]) for k, i in enumerate(order))
            for size in range(problem.N + 1)
            for order in permutations(range(problem.N), size)
        )
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
