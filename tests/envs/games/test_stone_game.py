from functools import cache

from rlve.envs.games.stone_game import StoneGame, grundy

PROBLEM = StoneGame(MAX_SUM=9, N=2, Stones=[4, 4], F=3, reference_answer="Ollie")
SCHEDULE = {d: {"MAX_SUM": n} for d, n in ((0, 5), (1, 7), (2, 9), (3, 11), (4, 14), (20, 307))}
REWARDS = {1.0: ["Ollie"], 0.0: ["Stan"], -0.5: ["ollie", "Stan Ollie", ""]}
SAMPLES = {150: {"MAX_SUM": range(5, 12)}}


def test_winner_follows_from_searching_all_moves(problem):
    assert len(problem.Stones) == problem.N
    assert 2 <= sum(problem.Stones) <= problem.MAX_SUM
    assert 1 <= problem.F <= max(problem.Stones) + 1
    stan_wins = mover_wins(tuple(sorted(problem.Stones)), problem.F)
    assert problem.reference_answer == ("Stan" if stan_wins else "Ollie")


def test_values_of_larger_heaps_agree_with_all_divisions():
    for F in (1, 2, 3, 5, 8):
        values = []
        for x in range(60):
            options = set()
            for M in range(2, x + 1 if x >= F else 0):
                value = 0
                for number in range(M):
                    value ^= values[(x + number) // M]
                options.add(value)
            values.append(next(value for value in range(61) if value not in options))
            assert grundy(x, F, {}) == values[x]


@cache
def mover_wins(heaps, F):
    for i, heap in enumerate(heaps):
        for M in range(2, heap + 1 if heap >= F else 0):
            parts = [(heap + number) // M for number in range(M)]
            after = (*heaps[:i], *heaps[i + 1 :], *parts)
            if not mover_wins(tuple(sorted(size for size in after if size > 1)), F):
                return True
    return False
