from collections.abc import Sequence
from random import Random
from typing import Self

from rlve import Level
from rlve.dialogue import Command, Dialogue, Player, command
from rlve.foundation.pictures import Grid
from rlve.rewards import exact
from rlve.sampling.rejection import redraw
from rlve.text import lines, spaced

VALUES = 4


class TwentyQuestions(Dialogue[Command]):
    """Find an item of a table by questions with yes or no."""

    N: int
    columns: int
    table: list[list[int]]
    secret: int
    questions: int  # that good play needs at most, for this table

    picture = Grid("table")

    template = """
        Each of {N} items has {columns} properties, with values from 1 to {values}:

        {table}

        I am thinking of one of these items. You may name a property and a value: I say `yes` if the
        property of my item has this value, and `no` otherwise. When you know the item, name it;
        that ends the dialogue.

        Output format: `ask`, the number of the property and the value, such as `ask 1 3`; or
        `answer` and the number of the item, such as `answer 2`.
        """

    def opening(self) -> str:
        rows = (f"item {i}: {spaced(row)}" for i, row in enumerate(self.table, 1))
        return self.fill(values=VALUES, table=lines(rows))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 5 + 3 * d, "columns": 3 + d // 4}]

    @classmethod
    def sample(cls, rng: Random, N: int, columns: int) -> Self:
        def draw() -> tuple[int, ...]:
            return tuple(rng.randint(1, VALUES) for _ in range(columns))

        rows: list[tuple[int, ...]] = []
        for _ in range(N):
            rows.append(redraw(draw, lambda row: row not in rows))
        table = [list(row) for row in rows]
        needed = depth(table, list(range(N)))
        return cls(N=N, columns=columns, table=table, secret=rng.randint(1, N), questions=needed)

    @property
    def turns(self) -> int:
        return self.questions + 1

    def parse(self, text: str) -> Command:
        return command(text, ask=2, answer=1)

    def reply(self, moves: Sequence[Command]) -> str | float:
        word, values = moves[-1]
        if word == "answer":
            return exact(values == [self.secret])
        if not 1 <= values[0] <= self.columns:
            return f"Not allowed: the properties are numbered from 1 to {self.columns}."
        return "yes" if self.table[self.secret - 1][values[0] - 1] == values[1] else "no"

    def play(self) -> Player:
        """Ask what splits the items that are left most evenly."""
        left = list(range(self.N))
        while len(left) > 1:
            column, value = best_question(self.table, left)
            said = yield f"ask {column + 1} {value}"
            left = [i for i in left if (self.table[i][column] == value) == (said == "yes")]
        yield f"answer {left[0] + 1}"


def best_question(table: list[list[int]], left: list[int]) -> tuple[int, int]:
    """The column and the value that split these rows most evenly."""
    return min(
        ((column, value) for column in range(len(table[0])) for value in range(1, VALUES + 1)),
        key=lambda asked: abs(2 * sum(table[i][asked[0]] == asked[1] for i in left) - len(left)),
    )


def depth(table: list[list[int]], left: list[int]) -> int:
    """How many of these questions single out a row, at worst."""
    if len(left) == 1:
        return 0
    column, value = best_question(table, left)
    yes = [i for i in left if table[i][column] == value]
    no = [i for i in left if table[i][column] != value]
    return 1 + max(depth(table, yes), depth(table, no))
