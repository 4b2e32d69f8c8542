from functools import cache
from random import Random

from rlve.envs.dialogues.treblecross import Treblecross
from support.tables import told

PROBLEM = Treblecross(N=7, crosses=[0])
SCHEDULE = {0: {"N": 7}, 1: {"N": 9}, 20: {"N": 47}}
REPLIES = {
    "I choose cell 2.\nXX..X..": ["5", "1 / 5"],
    "I choose cell 7.\nX..X..X": ["4"],
    "Not allowed: ...": ["0", "1", "8", "5 / 2"],
    None: ["5 6", "middle", ""],
    1.0: ["5 / 3", "6 / 9 / 3"],
    0.0: ["2", "3", "4 / 2", "5 / 6", "1 / 1 / 1"],
}
SAMPLES = {100: {"difficulty": range(4)}}


def test_what_can_be_won_is_won(problem, seed):
    strip = "".join("X" if i in problem.crosses else "." for i in range(problem.N))
    assert wins(strip)
    rng, moves = Random(seed), []
    while len(moves) < problem.turns - 1:
        cell = rng.choice([i for i, sign in enumerate(strip) if sign == "."])
        moves.append(cell + 1)
        strip = strip[:cell] + "X" + strip[cell + 1 :]
        said = told(problem, moves)[-1]
        if "XXX" in strip:
            assert said == 1.0
            break
        could = wins(strip)
        if said == 0.0:
            assert any("XXX" in after for after in moved(strip))
            break
        note, after = said.split("\n")
        mine = int(note.removeprefix("I choose cell ").removesuffix(".")) - 1
        assert strip[mine] == "."
        assert after == strip[:mine] + "X" + strip[mine + 1 :]
        assert not (could and wins(after))
        strip = after


def moved(strip):
    return [strip[:i] + "X" + strip[i + 1 :] for i, sign in enumerate(strip) if sign == "."]


@cache
def wins(strip):
    """Whether the player to move completes three crosses first, by search of all moves."""
    return any("XXX" in after or not wins(after) for after in moved(strip))
