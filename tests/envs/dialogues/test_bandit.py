from itertools import product
from random import Random

from rlve.envs.dialogues.bandit import Bandit
from support.tables import told

PROBLEM = Bandit(K=2, payouts=[[2, 3] * 8, [5] * 16], target=20)
SCHEDULE = {0: {"K": 4}, 2: {"K": 5}, 20: {"K": 14}}
REPLIES = {
    "It pays 5. You have 5 coins.": ["2", "3 / 2"],
    "It pays 3. You have 5 coins.": ["1 / 1"],  # each machine has its own row of payouts
    "It pays 2. You have 7 coins.": ["2 / 1"],
    "Not allowed: ...": ["0", "3", "2 / -1"],
    None: ["1 2", "left", ""],
    1.0: ["2 / 2 / 2 / 2", "2 / 2 / 9 / 2 / 2"],
    5 / 20: [" / ".join(["2", *["3"] * (PROBLEM.turns - 1)])],
    0.0: [" / ".join(["3"] * PROBLEM.turns)],
}
SAMPLES = {100: {"difficulty": range(12)}}


def test_replies_are_those_of_machines_that_pay_in_turn(problem, seed):
    machines = list(map(iter, problem.payouts))
    pulled = Random(seed).choices(range(problem.K), k=problem.turns - 1)
    total, expected = 0, []
    for machine in pulled:
        paid = next(machines[machine])
        total += paid
        expected.append(f"It pays {paid}. You have {total} coins.")
        if total >= problem.target:
            expected[-1] = 1.0
            break
    assert told(problem, [machine + 1 for machine in pulled]) == expected


def test_staying_while_it_pays_wins_at_most_a_third():
    for difficulty, least in product((0, 2, 3, 6), (1, 3, 4, 5)):
        games = [Bandit.generate(difficulty=difficulty, seed=seed) for seed in range(400)]
        won = sum(stayed(problem, least, Random(seed)) for seed, problem in enumerate(games))
        assert won <= 400 / 3


def stayed(problem, least, rng):
    machine, counts, total = rng.randrange(problem.K), [0] * problem.K, 0
    for _ in range(problem.turns):
        paid = problem.payouts[machine][counts[machine]]
        counts[machine] += 1
        total += paid
        if paid < least:
            machine = rng.choice([other for other in range(problem.K) if other != machine])
    return total >= problem.target
