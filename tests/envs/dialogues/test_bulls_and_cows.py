from random import Random

from rlve.envs.dialogues.bulls_and_cows import BullsAndCows
from support.tables import told

PROBLEM = BullsAndCows(P=3, K=5, code=[2, 5, 1])
SCHEDULE = {0: {"P": 3, "K": 5}, 3: {"P": 4, "K": 8}, 20: {"P": 9, "K": 25}}
REPLIES = {
    "bulls 0, cows 0": ["0 0 0", "3 4 3"],
    "bulls 1, cows 0": ["2 2 2", "0 5 0"],
    "bulls 1, cows 1": ["2 2 5"],
    "bulls 1, cows 2": ["2 1 5"],
    "bulls 0, cows 3": ["5 1 2"],
    "bulls 2, cows 0": ["2 5 3", "2 5 2"],
    "Not allowed: ...": ["2 5 6", "-1 5 1"],
    None: ["2 5", "2 5 1 1", "a b c", ""],
    1.0: ["2 5 1", "1 2 3 / 2 5 / 2 5 1"],
    0.0: [" / ".join(["1 2 3"] * 12)],
}
SAMPLES = {100: {"difficulty": range(9)}}


def test_replies_count_the_symbols_of_the_code(problem, seed):
    assert len(set(problem.code)) == problem.P
    rng = Random(seed)
    guess = rng.choices(range(problem.K + 1), k=problem.P)
    guess[rng.randrange(problem.P)] = rng.choice(problem.code)
    if guess == problem.code:
        return
    bulls = cows = 0
    for place, symbol in enumerate(problem.code):
        bulls += guess[place] == symbol
        cows += guess[place] != symbol and guess.count(symbol) > 0
    assert told(problem, [" ".join(map(str, guess))]) == [f"bulls {bulls}, cows {cows}"]
