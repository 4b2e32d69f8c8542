from functools import cache

from rlve.envs.games.taking_prime_game import TakingPrimeGame, answers_up_to

PROBLEM = TakingPrimeGame(MAX_N=20, N=15, reference_answer=3)
LOST = TakingPrimeGame(MAX_N=20, N=9, reference_answer=-1)
SCHEDULE = {0: {"MAX_N": 8}, 1: {"MAX_N": 9}, 2: {"MAX_N": 10}, 3: {"MAX_N": 12}, 20: {"MAX_N": 84}}
REWARDS = [
    (PROBLEM, {1.0: ["3"], 0.0: ["1", "-1", "-7"], -1.0: ["3 moves", ""]}),
    (LOST, {1.0: ["-1"], 0.0: ["2"]}),
]
SAMPLES = {100: {"MAX_N": range(8, 58)}}


def test_answers_agree_with_minimax(problem):
    assert 1 <= problem.N <= problem.MAX_N
    assert problem.reference_answer == by_minimax(problem.N)


def test_answers_of_all_piles_agree_with_minimax():
    assert answers_up_to(150) == [by_minimax(pile) for pile in range(151)]


def by_minimax(pile):
    value = play(pile)
    return 1000 - value if value > 0 else -1


@cache
def play(pile):
    """1000 - moves if the player to move wins after so many, and moves - 1000 if not."""
    best = -1000
    for prime in range(2, pile + 1):
        if all(prime % factor for factor in range(2, prime)):
            value = -play(pile - prime)
            best = max(best, value - 1 if value > 0 else value + 1)
    return best
