from functools import cache
from random import Random

import pytest

from rlve.envs.games.multiple_flipping_game import MultipleFlippingGame

PROBLEM = MultipleFlippingGame(N=4, white_indices=[4, 3], reference_answer="No")


def test_schedule():
    assert [MultipleFlippingGame.level(d)[0]["N"] for d in (0, 1, 2, 8, 20)] == [3, 4, 5, 12, 50]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("No", 1.0),
        ("Yes", 0.0),
        ("no", -0.5),
        ("NO", -0.5),
        ("No.", -0.5),
        ("", -0.5),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_an_output_without_an_answer_is_ill_formed():
    assert PROBLEM.verify("No").reward == -1.0


def test_cells_are_shown_in_order():
    assert "\n3 4\n" in PROBLEM.prompt()


def test_winner_follows_from_searching_all_positions():
    answers = []
    for seed in range(200):
        problem = MultipleFlippingGame.sample(Random(seed), N=3 + seed % 6)
        white = frozenset(problem.white_indices)
        assert 1 <= len(white) == len(problem.white_indices)
        assert problem.reference_answer == ("Yes" if mover_wins(problem.N, white) else "No")
        answers.append(problem.reference_answer)
    assert 60 < answers.count("Yes") < 140
    assert not mover_wins(4, frozenset({3, 4}))


@cache
def mover_wins(n, white):
    return any(
        not mover_wins(n, white ^ frozenset(range(x, k * x + 1, x)))
        for x in white
        for k in range(1, n // x + 1)
    )
