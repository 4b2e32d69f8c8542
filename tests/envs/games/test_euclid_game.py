from functools import cache

from rlve.envs.games.euclid_game import EuclidGame

PROBLEM = EuclidGame(MAX_X_Y=16, reference_answer="Ollie", X=7, Y=8)
SCHEDULE = {d: {"MAX_X_Y": n} for d, n in ((0, 16), (1, 32), (2, 64), (3, 128), (20, 16 * 2**20))}
REWARDS = {
    1.0: ["Ollie", " Ollie\n"],
    0.0: ["Stan"],
    -0.5: ["ollie", "Ollie wins", "Stan Ollie", ""],
}
SAMPLES = {400: {"MAX_X_Y": range(16, 41)}}


def test_winner_follows_from_searching_all_moves(problem):
    assert 1 <= min(problem.X, problem.Y) <= max(problem.X, problem.Y) <= problem.MAX_X_Y
    stan_wins = mover_wins(problem.X, problem.Y)
    assert problem.reference_answer == ("Stan" if stan_wins else "Ollie")


@cache
def mover_wins(x, y):
    if x == 0 or y == 0:
        return False  # the opponent has just won
    moves = [(x - k, y) for k in range(y, x + 1, y)] + [(x, y - k) for k in range(x, y + 1, x)]
    return any(not mover_wins(*move) for move in moves)
