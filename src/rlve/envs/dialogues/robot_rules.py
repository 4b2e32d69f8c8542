from collections.abc import Sequence
from random import Random
from typing import Self, TypeAlias

from rlve import Level
from rlve.answers import integer
from rlve.dialogue import Dialogue, Player, numbers_in
from rlve.foundation.pictures import Grid
from rlve.rewards import RIGHT
from rlve.sampling.rejection import redraw

Cell: TypeAlias = tuple[int, int]
NORTH_EAST_SOUTH_WEST = ((-1, 0), (0, 1), (1, 0), (0, -1))


class RobotRules(Dialogue[int]):
    """Steer a robot whose commands mean what nobody has said."""

    N: int
    K: int
    start: Cell
    goal: Cell
    meanings: list[int]  # the direction of each command at first: 0 is north, 1 east, ...
    turn: int  # by how many quarter turns all meanings change after each command

    picture = Grid(None, columns="N", signs=(("start", "S"), ("goal", "G")))

    template = """
        A robot stands on a grid of {N} rows and {N} columns, both numbered from 1 to {N}, in row
        {r}, column {c}. Row 1 is in the north and column 1 in the west. What leaves the grid on one
        side comes back on the other.

        The robot knows {K} commands, numbered from 1 to {K}. Each makes it move one cell to the
        north, east, south or west, and each direction is the meaning of at least one command, but
        nobody knows of which. After every command, the meanings of all commands turn clockwise by
        the same number of quarter turns: 0, 1, 2 or 3, which nobody knows either. Bring the robot
        to row {goal_r}, column {goal_c} to win.

        Output format: one integer, the number of the command.
        """

    def opening(self) -> str:
        (r, c), (goal_r, goal_c) = self.start, self.goal
        return self.fill(r=r + 1, c=c + 1, goal_r=goal_r + 1, goal_c=goal_c + 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 5 + d, "K": 4 + d // 3}]

    @classmethod
    def sample(cls, rng: Random, N: int, K: int) -> Self:
        meanings = [*range(4), *(rng.randrange(4) for _ in range(K - 4))]
        rng.shuffle(meanings)
        start = rng.randrange(N), rng.randrange(N)
        goal = redraw(
            lambda: (rng.randrange(N), rng.randrange(N)),
            lambda cell: min(abs(_gap(a, b, N)) for a, b in zip(start, cell, strict=True)) > 1,
        )
        return cls(N=N, K=K, start=start, goal=goal, meanings=meanings, turn=rng.randrange(4))

    @property
    def turns(self) -> int:
        # To try every command and one of them twice, and then at most half of each side.
        return self.K + 1 + 2 * (self.N // 2)

    def parse(self, text: str) -> int:
        return integer(text)

    def reply(self, moves: Sequence[int]) -> str | float:
        (row, column), time, note = self.start, 0, ""
        for command in moves:
            note = "" if 1 <= command <= self.K else f"Not allowed: 1 to {self.K} are commands. "
            if note:
                continue
            direction = (self.meanings[command - 1] + self.turn * time) % 4
            down, right = NORTH_EAST_SOUTH_WEST[direction]
            row, column, time = (row + down) % self.N, (column + right) % self.N, time + 1
            if (row, column) == self.goal:
                return RIGHT
        return f"{note}The robot is in row {row + 1}, column {column + 1}."

    def play(self) -> Player:
        """Try the first command twice and the others once; then all is known."""
        here, seen = self.start, list[int]()
        for command in (1, *range(1, self.K + 1)):
            row, column = numbers_in((yield str(command)))
            there = row - 1, column - 1
            step = _gap(here[0], there[0], self.N), _gap(here[1], there[1], self.N)
            seen.append(NORTH_EAST_SOUTH_WEST.index(step))
            here = there
        turn = (seen[1] - seen[0]) % 4
        meanings = [(way - turn * time) % 4 for time, way in enumerate(seen)][1:]
        time = len(seen)
        while True:
            down, right = (_gap(a, b, self.N) for a, b in zip(here, self.goal, strict=True))
            wanted = (0 if down < 0 else 2) if down else (3 if right < 0 else 1)
            row, column = numbers_in((yield str(meanings.index((wanted - turn * time) % 4) + 1)))
            here, time = (row - 1, column - 1), time + 1


def _gap(a: int, b: int, N: int) -> int:
    """The shortest way from a to b around a circle of N cells; negative if it goes back."""
    return (b - a + (N - 1) // 2) % N - (N - 1) // 2
