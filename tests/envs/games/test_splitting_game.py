from functools import cache
from random import Random

from rlve.envs.games.splitting_game import SplittingGame, grundy_values

PROBLEM = SplittingGame(N=3, P=[2, 4, 5], reference_answer="Bob")
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 20: {"N": 23}}
REWARDS = {1.0: ["Bob"], 0.0: ["Alice"], -0.5: ["BOB", "Bob wins", ""]}
SAMPLES = {120: {"N": 3}}


def test_winner_follows_from_searching_all_moves(problem):
    assert all(0 <= beans <= 2 * problem.N for beans in problem.P)
    assert problem.reference_answer == ("Alice" if mover_wins(tuple(problem.P)) else "Bob")


def test_values_of_four_bottles_predict_the_winner():
    values = grundy_values(4)
    for seed in range(100):
        P = [Random(f"{seed} {i}").randint(0, 3 - i) for i in range(4)]
        total = 0
        for value, beans in zip(values, P, strict=True):
            total ^= value * (beans % 2)
        assert (total != 0) == mover_wins(tuple(P))


@cache
def mover_wins(beans):
    n = len(beans)
    for i in range(n):
        for j in range(i + 1, n):
            for k in range(j, n):
                if beans[i]:
                    after = list(beans)
                    after[i] -= 1
                    after[j] += 1
                    after[k] += 1
                    after[n - 1] = 0  # beans there never move
                    if not mover_wins(tuple(after)):
                        return True
    return False
