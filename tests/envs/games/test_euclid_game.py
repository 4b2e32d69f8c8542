from functools import cache
from random import Random

import pytest

from rlve.envs.games.euclid_game import EuclidGame

PROBLEM = EuclidGame(MAX_X_Y=16, reference_answer="Ollie", X=7, Y=8)


def test_schedule():
    limits = [EuclidGame.level(d)[0]["MAX_X_Y"] for d in (0, 1, 2, 3, 20)]
    assert limits == [16, 32, 64, 128, 16 * 2**20]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("Ollie", 1.0),
        (" Ollie\n", 1.0),
        ("Stan", 0.0),
        ("ollie", -0.5),
        ("Ollie wins", -0.5),
        ("Stan Ollie", -0.5),
        ("", -0.5),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_an_output_without_an_answer_is_ill_formed():
    assert PROBLEM.verify("Ollie").reward == -1.0


def test_winner_follows_from_searching_all_moves():
    winners = set()
    for seed in range(400):
        problem = EuclidGame.sample(Random(seed), MAX_X_Y=16 + seed % 25)
        assert 1 <= min(problem.X, problem.Y) <= max(problem.X, problem.Y) <= problem.MAX_X_Y
        stan_wins = mover_wins(problem.X, problem.Y)
        assert problem.reference_answer == ("Stan" if stan_wins else "Ollie")
        winners.add(problem.reference_answer)
    assert winners == {"Stan", "Ollie"}


@cache
def mover_wins(x, y):
    if x == 0 or y == 0:
        return False  # the opponent has just won
    moves = [(x - k, y) for k in range(y, x + 1, y)] + [(x, y - k) for k in range(x, y + 1, x)]
    return any(not mover_wins(*move) for move in moves)
