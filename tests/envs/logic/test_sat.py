from collections import Counter
from itertools import product
from random import Random

import pytest

from rlve.envs.logic.sat import SAT, random_clause
from support.clauses import check_rewards_of_clauses

PROBLEM = SAT(
    N=3,
    M=4,
    density=0.5,
    clauses=[
        [(0, True), (1, True)],
        [(0, False), (2, False)],
        [(1, False), (2, True)],
        [(0, True), (1, False), (2, True)],
    ],
    reference_answer="1 0 0",
)
SCHEDULE = {
    d: {
        "N": n,
        "density": [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5],
        "M": [int(ratio / 10 * n) for ratio in range(10, 51)],
    }
    for d, n in ((0, 3), (1, 4), (7, 10), (20, 23))
}
REWARDS = {
    1.0: ["1 0 0", "0 1 1"],
    (3 / 4) ** 10: ["1 1 0", "0 0 0"],
    (2 / 4) ** 10: ["0 1 0"],
    -1.0: ["1 0", "1 0 0 0", "1 0 2", "1 0 -1", "100", "1, 0, 0", ""],
}
SAMPLES = {100: {"difficulty": range(4)}}


def test_reward_counts_the_clauses_as_written_in_the_prompt(problem):
    written = [line.split(" | ") for line in problem.prompt().splitlines() if " | " in line]
    check_rewards_of_clauses(problem, written)


def test_clauses_are_distributed_as_if_drawn_until_valid():
    hidden, density, draws = [1, 0, 1], 0.3, 20_000
    chances = {}
    for signs in product([None, True, False], repeat=3):
        clause = [(i, sign) for i, sign in enumerate(signs) if sign is not None]
        if len(clause) >= 2 and any(hidden[i] == sign for i, sign in clause):
            chances[tuple(clause)] = (density / 2) ** len(clause) * (1 - density) ** (
                3 - len(clause)
            )
    rng = Random(0)
    counts = Counter(tuple(random_clause(rng, hidden, density)) for _ in range(draws))
    assert counts.keys() == chances.keys()
    for clause, chance in chances.items():
        assert counts[clause] / draws == pytest.approx(chance / sum(chances.values()), abs=0.01)
