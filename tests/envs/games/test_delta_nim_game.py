from functools import cache
from random import Random

import pytest

from rlve.envs.games.delta_nim_game import DeltaNimGame

PROBLEM = DeltaNimGame(N=3, reference_answer="Bob", A=[2, 3, 5])


def test_schedule():
    assert [DeltaNimGame.level(d)[0]["N"] for d in (0, 1, 2, 20)] == [2, 3, 4, 22]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("Bob", 1.0),
        (" Bob\n", 1.0),
        ("Alice", 0.0),
        ("bob", -0.5),
        ("Bob wins", -0.5),
        ("", -0.5),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_an_output_without_an_answer_is_ill_formed():
    assert PROBLEM.verify("Bob").reward == -1.0


def test_winner_follows_from_searching_all_moves():
    winners = []
    for seed in range(150):
        problem = DeltaNimGame.sample(Random(seed), N=2 + seed % 3)
        assert problem.A[0] >= 1
        assert sorted(problem.A) == problem.A
        assert problem.A[-1] - problem.A[-2] <= problem.N
        alice_wins = mover_wins(tuple(problem.A))
        assert problem.reference_answer == ("Alice" if alice_wins else "Bob")
        winners.append(problem.reference_answer)
    assert 50 < winners.count("Alice") < 100
    assert not mover_wins(tuple(PROBLEM.A))


@cache
def mover_wins(piles):
    for i, pile in enumerate(piles):
        for left in range(piles[i - 1] if i else 0, pile):
            if not mover_wins((*piles[:i], left, *piles[i + 1 :])):
                return True
    return False
