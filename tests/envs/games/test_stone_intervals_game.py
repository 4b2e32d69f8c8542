from functools import cache
from random import Random

from rlve.envs.games.stone_intervals_game import StoneIntervalsGame, first_total

PROBLEM = StoneIntervalsGame(N=4, A=[5, 2, 0, 4], reference_answer=9)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = {1.0: ["9"], 0.0: ["6", "-9"], -1.0: ["9 stones", ""]}
SAMPLES = {200: {"N": range(3, 10)}}


def test_total_agrees_with_minimax(problem):
    assert 1 <= problem.A.count(0) <= problem.N - 2
    assert all(0 <= pile <= 2 * problem.N for pile in problem.A)
    assert problem.reference_answer == by_minimax(tuple(problem.A))[0]


def test_total_of_long_runs_agrees_with_minimax():
    for seed in range(100):
        rng = Random(seed)
        A = [rng.randint(1, 9) for _ in range(9)]
        A[rng.randrange(9)] = 0
        assert first_total(A) == by_minimax(tuple(A))[0]


@cache
def by_minimax(A):
    """What the player to move takes in all, and what the opponent does."""
    best = (0, 0)
    for i, pile in enumerate(A):
        beside = (A[j] for j in (i - 1, i + 1) if 0 <= j < len(A))
        if pile and 0 in beside:
            theirs, ours = by_minimax((*A[:i], 0, *A[i + 1 :]))
            best = max(best, (ours + pile, theirs))
    return best
