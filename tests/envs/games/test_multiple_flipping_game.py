from functools import cache

from rlve.envs.games.multiple_flipping_game import MultipleFlippingGame

PROBLEM = MultipleFlippingGame(N=4, white_indices=[4, 3], reference_answer="No")
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = {1.0: ["No"], 0.0: ["Yes"], -0.5: ["no", "NO", "No.", ""]}
SAMPLES = {200: {"N": range(3, 9)}}


def test_winner_follows_from_searching_all_positions(problem):
    white = frozenset(problem.white_indices)
    assert 1 <= len(white) == len(problem.white_indices)
    assert problem.reference_answer == ("Yes" if mover_wins(problem.N, white) else "No")


@cache
def mover_wins(n, white):
    return any(
        not mover_wins(n, white ^ frozenset(range(x, k * x + 1, x)))
        for x in white
        for k in range(1, n // x + 1)
    )
