from itertools import permutations
from random import Random

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


def test_gold_is_the_best_over_all_orders():
    rng = Random(1)
    for _ in range(250):
        problem = MafMafia.sample(rng, N=rng.randint(1, 5))
        best = min if problem.minimize_or_maximize == "minimize" else max
        outcomes = (simulate(problem.TO, order) for order in permutations(range(problem.N)))
        assert problem.gold_answer == best(outcomes)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def test_gold_of_large_problems_is_that_of_the_formulas():
    for seed in range(100):
        problem = MafMafia.generate(difficulty=8 + seed % 13, seed=seed)
        N, TO = problem.N, problem.TO
        if problem.minimize_or_maximize == "maximize":
            on_cycles = set(range(N))
            for _ in range(N):
                on_cycles = {TO[i] for i in on_cycles}
            alone = [i for i in on_cycles if TO[i] != i and i == min(orbit(TO, i))]
            alone = [
                i for i in alone if sum(TO.count(j) for j in orbit(TO, i)) == len(orbit(TO, i))
            ]
            assert problem.gold_answer == len(set(TO)) - len(alone)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def orbit(TO, i):
    members = [i]
    while TO[members[-1]] not in members:
        members.append(TO[members[-1]])
    return members


def simulate(TO, order):
    alive = [True] * len(TO)
    for i in order:
        if alive[i]:
            alive[TO[i]] = False
    return alive.count(False)
