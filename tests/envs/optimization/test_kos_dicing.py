from itertools import product
from random import Random

import pytest

from rlve.envs.optimization.kos_dicing import KosDicing, fairest_winners

PROBLEM = KosDicing(
    N=3, M=4, rounds=[(0, 1), (0, 1), (1, 2), (1, 0)], K=2, reference_answer="0 0 1 1"
)


def test_schedule():
    assert [level["M"] for level in KosDicing.level(0)] == [*(3, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6)]
    assert KosDicing.level(8)[-1] == {"N": 12, "M": 24}
    assert KosDicing.level(20)[0] == {"N": 50, "M": 50}


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("0 0 1 1", 1.0),
        ("1 0 2 0", 1.0),
        ("0 0 2 0", 0.0),  # three wins
        ("1 1 1 1", 0.0),
        ("0 0 1", -0.5),
        ("0 0 1 1 1", -0.5),
        ("0 0 0 1", -0.5),  # does not play the round
        ("0 0 -1 1", -0.5),
        ("", -0.5),
        ("0 0 1 B", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_fewer_wins_than_asked_for_are_wrong():
    problem = KosDicing(N=2, M=2, rounds=[(0, 1), (0, 1)], K=2, reference_answer="0 0")
    assert problem.verify("<answer>1 1</answer>").reward == 1.0
    assert problem.verify("<answer>0 1</answer>").reward == 0.0


def test_k_is_the_smallest_maximum_of_all_outcomes():
    for seed in range(120):
        N = 2 + seed % 4
        problem = KosDicing.sample(Random(seed), N=N, M=N + seed % 3)
        smallest = min(
            max(outcome.count(player) for player in range(N))
            for outcome in product(*problem.rounds)
        )
        assert smallest == problem.K
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def test_any_outcome_can_be_made_fair():
    rounds = [(0, 1)] * 4 + [(1, 2)] * 2
    for outcome in product(*rounds):
        fair = fairest_winners(3, rounds, list(outcome))
        assert all(winner in players for winner, players in zip(fair, rounds, strict=True))
        assert max(map(fair.count, fair)) == 2
