from random import Random

from rlve.envs.dialogues.weigh_coins import WeighCoins
from support.tables import told

PROBLEM = WeighCoins(N=4, fake=3)
SCHEDULE = {0: {"N": 4}, 1: {"N": 7}, 20: {"N": 1797}}
REPLIES = {
    "left": ["weigh 3 1", "weigh 4 3 1 2"],
    "right": ["weigh 1 3", "weigh 1 2 / weigh 1 2 3 4"],
    "equal": ["weigh 1 2", "weigh"],
    "Not allowed: ...": ["weigh 1", "weigh 1 1", "weigh 1 2 3", "weigh 1 5", "weigh 0 1"],
    None: ["weigh a b", "answer", "answer 1 2", "balance 1 2", ""],
    1.0: ["answer 3", "weigh 1 2 / weigh 3 4 / answer 3"],
    0.0: ["answer 1", "answer 9", "weigh 1 2 / weigh 1 2 / weigh 1 2"],
}
SAMPLES = {100: {"difficulty": range(12)}}


def test_replies_are_those_of_a_balance(problem, seed):
    weights = {coin: 9 if coin == problem.fake else 10 for coin in range(1, problem.N + 1)}
    assert sum(weights.values()) == 10 * problem.N - 1
    assert 3 ** (problem.turns - 1) >= problem.N > 3 ** (problem.turns - 2)
    rng = Random(seed)
    coins = rng.sample(sorted(weights), 2 * rng.randint(1, problem.N // 2))
    half = len(coins) // 2
    left, right = (sum(weights[coin] for coin in pan) for pan in (coins[:half], coins[half:]))
    expected = "equal" if left == right else "left" if left < right else "right"
    assert told(problem, [f"weigh {' '.join(map(str, coins))}"]) == [expected]
