from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from random import Random
from typing import Final, NamedTuple, Self, TypeAlias

from rlve import Level
from rlve.answers import integers
from rlve.dialogue import Dialogue, Ending, Player
from rlve.foundation.pictures import Grid
from rlve.rewards import RIGHT, WRONG
from rlve.sampling.rejection import redraw
from rlve.text import spaced

FREE, CROSS = ".", "X"
SIZE: Final = 3
CELLS: Final = SIZE**2
LINES: Final = (0o700, 0o070, 0o007, 0o444, 0o222, 0o111, 0o421, 0o124)  # as masks, like boards
MOST_CROSSES: Final = 7  # on a board: six can be without a line, and one more is not


Boards: TypeAlias = tuple[int, ...]
"""Each board as a mask: bit c is set if there is a cross on cell c."""


class Move(NamedTuple):
    """A cross on a cell of a board; both are counted from 0."""

    board: int
    cell: int


class Notakto(Dialogue[Move]):
    """Make the other player complete the last three in a row, on many boards, against best play."""

    N: int
    crosses: list[list[int]]  # of each board at the start; cells are counted from 0

    picture = Grid(None, columns=9, signs=(("crosses", "X"),))

    template = """
        We play on {N} of 3 x 3 cells, numbered from 1. Each line below is a board with its three
        rows; X is a cross and a dot is a free cell:

        {boards}

        We take turns, and you begin. A move puts a cross on a free cell of a board; we both use the
        same crosses. A board with three crosses in a row, in a column or in a diagonal is over:
        nobody may play on it any more. Whoever ends the last board in this way loses, and the other
        wins. I play as well as possible.

        Output format: two integers, the number of the board and the number of the cell. Cells are
        numbered from 1 to 9, row by row from the top, and from left to right in each row.
        """

    def opening(self) -> str:
        boards = "one board" if self.N == 1 else f"{self.N} boards"
        return self.fill(N=boards, boards=shown(_boards(self.crosses)))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 1 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        crosses = redraw(
            lambda: [sorted(rng.sample(range(CELLS), rng.randint(0, 2))) for _ in range(N)],
            lambda crosses: not is_lost(_boards(crosses)),
        )
        return cls(N=N, crosses=crosses)

    @property
    def turns(self) -> int:
        return (MOST_CROSSES * self.N - sum(map(len, self.crosses)) + 1) // 2

    def parse(self, text: str) -> Move:
        board, cell = integers(text, count=2)
        return Move(board - 1, cell - 1)

    def reply(self, moves: Sequence[Move]) -> str | float | Ending:
        boards, said = _boards(self.crosses), ""
        for move in moves:
            if not is_allowed(boards, move):
                said = "Not allowed: choose a free cell of a board that is not over."
                continue
            boards = after(boards, move)
            if all(map(is_over, boards)):
                return Ending(WRONG, f"You have ended the last board.\n{shown(boards)}")
            mine = best(boards)
            boards = after(boards, mine)
            if all(map(is_over, boards)):
                return RIGHT
            said = f"I play {spaced(place + 1 for place in mine)}."
        return f"{said}\n{shown(boards)}"

    def play(self) -> Player:
        """Leave boards with which whoever has to move loses."""
        boards = _boards(self.crosses)
        while True:
            said = yield spaced(place + 1 for place in best(boards))
            boards = _boards(map(_read, said.splitlines()[1:]))


def _boards(crosses: Iterable[Iterable[int]]) -> Boards:
    return tuple(sum(1 << cell for cell in board) for board in crosses)


def shown(boards: Boards) -> str:
    """A line for each board, with its number and its rows."""
    return "\n".join(
        f"{number}: {_rows(board)}{' (over)' if is_over(board) else ''}"
        for number, board in enumerate(boards, 1)
    )


def _rows(board: int) -> str:
    signs = [CROSS if board >> cell & 1 else FREE for cell in range(CELLS)]
    return " ".join("".join(signs[row : row + SIZE]) for row in range(0, CELLS, SIZE))


def _read(line: str) -> list[int]:
    signs = (sign for sign in line if sign in (CROSS, FREE))
    return [cell for cell, sign in enumerate(signs) if sign == CROSS]


@cache
def is_over(board: int) -> bool:
    return any(board & line == line for line in LINES)


def is_allowed(boards: Boards, move: Move) -> bool:
    if not 0 <= move.board < len(boards) or not 0 <= move.cell < CELLS:
        return False
    board = boards[move.board]
    return not is_over(board) and not board >> move.cell & 1


def after(boards: Boards, move: Move) -> Boards:
    made = boards[move.board] | 1 << move.cell
    return (*boards[: move.board], made, *boards[move.board + 1 :])


@lru_cache(1000)  # a conversation is replayed for every reply
def best(boards: Boards) -> Move:
    """A move that wins or, if there is none, one that ends no board, if there is one."""
    every = (Move(board, cell) for board in range(len(boards)) for cell in range(CELLS))
    moves = [move for move in every if is_allowed(boards, move)]
    longer = [move for move in moves if not is_over(boards[move.board] | 1 << move.cell)]
    return next((move for move in moves if is_lost(after(boards, move))), [*longer, *moves][0])


def is_lost(boards: Boards) -> bool:
    """Whether the player who has to move loses against best play."""
    return product(map(value, boards)) in LOST


# Who makes the last move loses, so boards cannot be added like heaps of Nim. But each board has one
# of eight values, words in a, b, c and d, and boards side by side have their product; there are
# only 18 products, and with four of them the player to move loses. (T. Plambeck and G. Whitehead,
# The Secrets of Notakto: Winning at X-only Tic-Tac-Toe, 2013.)
LOST: Final = frozenset(("a", "bb", "bc", "cc"))
EQUAL: Final = {
    "aa": "",
    "bbb": "b",
    "bbc": "c",
    "bbd": "d",
    "ccc": "acc",
    "cd": "ad",
    "dd": "cc",
}
# The value of a board, from the values of the boards to which a move on it leads.
VALUES: Final = {
    frozenset(leads.split(",")): word
    for word, several in {
        "": ("a,ab,b", "a,ad,b"),
        "a": (",", ",b", ",ab,d", ",b,d", ",ab,b,d"),
        "b": (",a", ",a,ab", ",a,d"),
        "ab": (",a,b",),
        "c": (",cc",),
        "cc": ("b",),
        "d": (",a,ab,b",),
        "ad": (",a,ab,b,d",),
    }.items()
    for leads in several
}


@cache
def value(board: int) -> str:
    """The value of a board; the empty word if it is over."""
    if is_over(board):
        return ""
    return VALUES[
        frozenset(value(board | 1 << cell) for cell in range(CELLS) if not board >> cell & 1)
    ]


def product(words: Iterable[str]) -> str:
    """The shortest word that equals the product of these."""
    result = ""
    for word in words:
        result = _times(result, word)
    return result


@cache
def _times(first: str, second: str) -> str:
    word, before = "".join(sorted(first + second)), None
    while word != before:
        before = word
        for long, short in EQUAL.items():
            word = "".join(sorted(word.replace(long, short, 1)))
    return word
