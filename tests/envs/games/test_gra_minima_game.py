from functools import cache
from itertools import combinations
from random import Random

import pytest

from rlve.envs.games.gra_minima_game import GraMinimaGame

PROBLEM = GraMinimaGame(N=3, A=[4, 1, 6], reference_answer=3)


def test_schedule():
    assert [GraMinimaGame.level(d)[0]["N"] for d in (0, 1, 2, 8, 20)] == [3, 4, 5, 12, 50]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [("3", 1.0), ("03", 1.0), ("4", 0.0), ("-3", 0.0), ("3.0", -1.0), ("", -1.0)],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_lead_agrees_with_minimax():
    for seed in range(120):
        problem = GraMinimaGame.sample(Random(seed), N=3 + seed % 4)
        assert all(1 <= value <= 2 * problem.N for value in problem.A)
        assert problem.reference_answer == by_minimax(tuple(sorted(problem.A)))
    assert by_minimax(tuple(sorted(PROBLEM.A))) == PROBLEM.reference_answer


@cache
def by_minimax(values):
    places = range(len(values))
    return max(
        (
            values[taken[0]] - by_minimax(tuple(values[i] for i in places if i not in taken))
            for size in range(1, len(values) + 1)
            for taken in combinations(places, size)
        ),
        default=0,
    )
