from itertools import permutations

from rlve.envs.graphs.maf_mafia import MafMafia

# 0 -> 1 -> 2 -> 0 and 3 -> 0.
FEW = MafMafia(N=4, TO=[1, 2, 0, 0], minimize_or_maximize="minimize", gold_answer=2)
MANY = MafMafia(N=4, TO=[1, 2, 0, 0], minimize_or_maximize="maximize", gold_answer=3)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 8: {"N": 12}, 20: {"N": 50}}
NOT_AN_ORDER = [
    "3 1 0",  # too short
    "3 1 0 2 4",  # too long
    "3 1 0 0",  # 0 twice
    "4 3 2 1",
    "",
]
REWARDS = [
    (FEW, {1.0: ["3 1 0 2"], (2 / 3) ** 5: ["1 0 2 3"], -0.5: NOT_AN_ORDER, -1.0: ["3, 1, 0, 2"]}),
    (MANY, {1.0: ["1 0 2 3"], (2 / 3) ** 5: ["3 1 0 2"], -0.5: NOT_AN_ORDER, -1.0: ["3, 1, 0, 2"]}),
]
SAMPLES = {200: {"N": range(1, 7)}}


def test_gold_is_the_best_over_all_orders(problem):
    best = min if problem.minimize_or_maximize == "minimize" else max
    outcomes = (simulate(problem.TO, order) for order in permutations(range(problem.N)))
    assert problem.gold_answer == best(outcomes)


def simulate(TO, order):
    alive = [True] * len(TO)
    for i in order:
        if alive[i]:
            alive[TO[i]] = False
    return alive.count(False)
