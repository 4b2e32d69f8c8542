from functools import cache
from itertools import combinations

from rlve.envs.games.gra_minima_game import GraMinimaGame

PROBLEM = GraMinimaGame(N=3, A=[4, 1, 6], reference_answer=3)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = {1.0: ["3", "03"], 0.0: ["4", "-3"], -1.0: ["3.0", ""]}
SAMPLES = {120: {"N": range(3, 7)}}


def test_lead_agrees_with_minimax(problem):
    assert all(1 <= value <= 2 * problem.N for value in problem.A)
    assert problem.reference_answer == by_minimax(tuple(sorted(problem.A)))


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
