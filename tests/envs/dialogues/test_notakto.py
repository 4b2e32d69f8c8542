from functools import cache
from itertools import product
from random import Random

from rlve.envs.dialogues.notakto import Notakto, is_lost
from support.tables import told

PROBLEM = Notakto(N=1, crosses=[[]])
TWO = Notakto(N=2, crosses=[[0, 1], [4]])
SCHEDULE = {0: {"N": 1}, 1: {"N": 2}, 20: {"N": 21}}
REPLIES = [
    (
        PROBLEM,
        {
            "I play 1 1.\n1: X.. .X. ...": ["1 5", "0 5 / 1 5"],
            "I play 1 9.\n1: X.. ... ..X": ["1 1"],
            "I play 1 2.\n1: XX. .XX ...": ["1 5 / 1 6"],
            "Not allowed: ...": ["2 1", "0 1", "1 0", "1 10", "1 5 / 1 5", "1 5 / 1 1"],
            None: ["5", "1 5 5", "board 1", ""],
            1.0: ["1 5 / 1 6 / 1 7"],
            0.0: ["1 5 / 1 9", "1 5 / 1 6 / 1 3", "1 5 / 0 0 / 0 0 / 0 0"],
        },
    ),
    (
        TWO,
        {
            "I play 2 1.\n1: XXX ... ... (over)\n2: X.. .X. ...": ["1 3"],
            "Not allowed: ...": ["1 3 / 1 4", "3 1"],  # a board that is over, and none
            1.0: ["1 3 / 2 6 / 2 7"],
            0.0: ["1 3 / 2 9"],
        },
    ),
]
LINES = "012", "345", "678", "036", "147", "258", "048", "246"


@cache
def over(board):
    return any(all(board >> int(cell) & 1 for cell in line) for line in LINES)


def moved(boards):
    """The boards after each move."""
    for i, cell in product(range(len(boards)), range(9)):
        if not over(boards[i]) and not boards[i] >> cell & 1:
            yield (*boards[:i], boards[i] | 1 << cell, *boards[i + 1 :])


@cache
def loses(boards):
    """Whether the player to move does, by search; if all boards are over, the other has lost."""
    live = tuple(sorted(board for board in boards if not over(board)))
    return loses(live) if live != boards else bool(live) and not any(map(loses, moved(live)))


def test_who_loses_is_what_a_search_of_all_games_finds():
    rng = Random(1)
    late = [board for board in range(512) if board.bit_count() > 3 and not over(board)]
    sums = [rng.choices(late, k=count) for count in (2, 3, 4) for _ in range(60)]
    for boards in (*product(range(512)), *product((16, 17), late), *sums):
        assert is_lost(tuple(boards)) == loses(tuple(boards))


def test_what_can_be_won_is_won():
    for seed in range(100):
        problem = Notakto.generate(difficulty=0, seed=seed)
        boards = tuple(sum(1 << cell for cell in board) for board in problem.crosses)
        assert not loses(boards)
        rng, moves = Random(seed), []
        while len(moves) < problem.turns - 1:
            after = rng.choice(list(moved(boards)))
            moves.append(f"1 {(after[0] - boards[0]).bit_length()}")
            said = told(problem, moves)[-1]
            if not isinstance(said, str):
                assert said == (0.0 if over(after[0]) else 1.0)
                break
            shown = said.splitlines()[1].replace(" ", "")[2:11]
            boards = (sum(1 << cell for cell in range(9) if shown[cell] == "X"),)
            assert boards in moved(after)
            assert loses(after) or loses(boards)
