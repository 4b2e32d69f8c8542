from random import Random

from rlve.envs.dialogues.guess_number import GuessNumber
from support.tables import told

PROBLEM = GuessNumber(N=100, lies=0, secret=42, lies_at=[])
LIAR = GuessNumber(N=100, lies=1, secret=42, lies_at=[1])
SCHEDULE = {0: {"N": 10, "lies": 0}, 4: {"N": 160, "lies": 1}, 20: {"N": 10 * 2**20, "lies": 5}}
REPLIES = [
    (
        PROBLEM,
        {
            "higher": ["41", "1", "0", "50 / 25"],
            "lower": ["43", "100", "101"],
            None: ["4 2", "forty-two", "42.0", ""],
            1.0: ["42", "50 / 25 / 42", "x / 42"],
            0.0: [" / ".join(["41"] * 7)],
        },
    ),
    (
        LIAR,
        {
            "higher": ["41", "43 / 43", "x / 43 / 43"],  # the second guess that can be read
            "lower": ["43", "43 / 41", "41 / 43 / 43"],
            1.0: ["43 / 42"],  # a right guess is never denied
            0.0: [" / ".join(["41"] * 15)],
        },
    ),
]
SAMPLES = {100: {"difficulty": range(10)}}


def test_as_many_replies_are_lies_as_were_announced(problem, seed):
    rng = Random(seed)
    guesses = [rng.choice([-1, 0, problem.N + 1]) for _ in range(problem.turns - 1)]
    honest = ["higher" if problem.secret > guess else "lower" for guess in guesses]
    said = told(problem, guesses)
    lies = [turn for turn in range(len(guesses)) if said[turn] != honest[turn]]
    assert lies == [turn for turn in problem.lies_at if turn < len(guesses)]
    assert len(problem.lies_at) == problem.lies
