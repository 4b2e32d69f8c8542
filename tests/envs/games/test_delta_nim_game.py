from functools import cache

from rlve.envs.games.delta_nim_game import DeltaNimGame

PROBLEM = DeltaNimGame(N=3, reference_answer="Bob", A=[2, 3, 5])
SCHEDULE = {0: {"N": 2}, 1: {"N": 3}, 2: {"N": 4}, 20: {"N": 22}}
REWARDS = {1.0: ["Bob", " Bob\n"], 0.0: ["Alice"], -0.5: ["bob", "Bob wins", ""]}
SAMPLES = {150: {"N": range(2, 5)}}


def test_winner_follows_from_searching_all_moves(problem):
    assert problem.A[0] >= 1
    assert sorted(problem.A) == problem.A
    assert problem.A[-1] - problem.A[-2] <= problem.N
    alice_wins = mover_wins(tuple(problem.A))
    assert problem.reference_answer == ("Alice" if alice_wins else "Bob")


@cache
def mover_wins(piles):
    for i, pile in enumerate(piles):
        for left in range(piles[i - 1] if i else 0, pile):
            if not mover_wins((*piles[:i], left, *piles[i + 1 :])):
                return True
    return False
