from functools import cache

from rlve.envs.games.coin_square_game import CoinSquareGame

PROBLEM = CoinSquareGame(N=5, C=[1, 3, 1, 7, 2], reference_answer=9)
SCHEDULE = {0: {"N": 5}, 1: {"N": 6}, 2: {"N": 7}, 20: {"N": 25}}
REWARDS = {1.0: ["9", "+9"], 0.0: ["8", "-9"], -1.0: ["9 coins", ""]}
SAMPLES = {200: {"N": range(5, 13)}}


def test_score_agrees_with_minimax(problem):
    assert all(1 <= value <= 2 * problem.N for value in problem.C)
    C = problem.C

    @cache
    def play(i, most, alice_moves):
        """What Alice gets from the coins from i on."""
        if i == len(C):
            return 0
        results = [
            (sum(C[i : i + taken]) if alice_moves else 0)
            + play(i + taken, 2 * taken, not alice_moves)
            for taken in range(1, min(most, len(C) - i) + 1)
        ]
        return max(results) if alice_moves else min(results)

    assert problem.reference_answer == play(0, 2, True)
