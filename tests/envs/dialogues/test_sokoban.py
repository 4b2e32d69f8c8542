from random import Random

from rlve.envs.dialogues.sokoban import Sokoban
from support.tables import told

RIM = [(r, c) for r in range(5) for c in range(5) if {0, 4} & {r, c}]
# #####
# #P.o#
# #.B.#
# #...#
# #####
PROBLEM = Sokoban(
    N=5,
    walls=RIM,
    places=[(1, 3)],
    boxes=[(2, 2)],
    start=(1, 1),
    solution=["down", "right", "down", "right", "up"],
)
# #####
# #..o#
# #PBB#
# #.o.#
# #####
TWO = Sokoban(
    N=5,
    walls=RIM,
    places=[(1, 3), (3, 2)],
    boxes=[(2, 2), (2, 3)],
    start=(2, 1),
    solution=["up"] * 4,
)
SCHEDULE = {
    0: {"N": 6, "boxes": 1, "pulls": 3},
    5: {"N": 7, "boxes": 2, "pulls": 8},
    20: {"N": 11, "boxes": 5, "pulls": 23},
}
REPLIES = [
    (
        PROBLEM,
        {
            "#####\n#.Po#\n#.B.#\n#...#\n#####": ["right", "up / right"],
            "#####\n#..Q#\n#.B.#\n#...#\n#####": ["right / right"],
            "#####\n#..o#\n#.P.#\n#.B.#\n#####": ["right / down"],
            "You cannot go there.\n#####\n#P.o#...": ["up", "left"],
            "You cannot go there.\n#####\n#..o#\n#.P.#\n#.B.#...": ["right / down / down"],
            None: ["jump", "up up", "north", ""],
            1.0: ["down / right / down / right / up", "up / down / right / down / right / up"],
            0.0: [" / ".join(["up"] * 7)],
        },
    ),
    (
        TWO,
        {
            "You cannot go there....": ["right"],  # there is a box behind the box
            "#####\n#..o#\n#.PB#\n#.X.#\n#####": ["up / right / down"],  # one of two is in place
            0.0: [" / ".join(["up"] * 6)],
        },
    ),
]
SAMPLES = {100: {"difficulty": range(8)}}
WAYS = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}


def test_replies_are_the_picture_of_the_opening_redrawn(problem, seed):
    rows = [line for line in problem.prompt().splitlines() if line[:1] == "#"]
    signs = {(r, c): sign for r, row in enumerate(rows) for c, sign in enumerate(row)}
    rng, expected = Random(seed), []
    moves = [rng.choice([step, step, step, *WAYS]) for step in problem.solution]
    for move in moves:
        note = "" if redraw(signs, *WAYS[move]) else "You cannot go there.\n"
        if "B" not in signs.values():
            expected.append(1.0)
            break
        drawn = ("".join(signs[r, c] for c in range(problem.N)) for r in range(problem.N))
        expected.append(note + "\n".join(drawn))
    assert told(problem, moves) == expected


def redraw(signs, down, right):
    """Whether the move can be made; if so, it is."""
    [(r, c)] = [cell for cell, sign in signs.items() if sign in "PQ"]
    here, there, beyond = ((r + i * down, c + i * right) for i in range(3))
    if signs[there] == "#" or (signs[there] in "BX" and signs[beyond] in "#BX"):
        return False
    if signs[there] in "BX":
        signs[beyond] = "X" if signs[beyond] == "o" else "B"
        signs[there] = "o" if signs[there] == "X" else "."
    signs[there] = "Q" if signs[there] == "o" else "P"
    signs[here] = "o" if signs[here] == "Q" else "."
    return True
