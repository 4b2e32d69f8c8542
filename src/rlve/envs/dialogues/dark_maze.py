from collections.abc import Sequence
from random import Random
from typing import Self, TypeAlias

from rlve import Level
from rlve.algorithms.grids import neighbours
from rlve.answers import word
from rlve.dialogue import Dialogue, Player
from rlve.foundation.pictures import Grid
from rlve.rewards import RIGHT

Cell: TypeAlias = tuple[int, int]
STEPS = {"north": (-1, 0), "east": (0, 1), "south": (1, 0), "west": (0, -1)}
BACK = {"north": "south", "south": "north", "east": "west", "west": "east"}


class DarkMaze(Dialogue[str]):
    """Find the way through a maze of which only the next openings can be seen."""

    N: int
    start: Cell
    goal: Cell
    passages: list[tuple[Cell, Cell]]  # pairs of neighbouring cells without a wall between them

    guessable = (
        "Mazes of a few cells have few forks: whoever takes any way but back wins in 89% at "
        "d = 0 and 1, 72% at d = 3, 57% at d = 6 and 46% at d = 10, with as many steps as a search "
        "depth first can need."
    )

    picture = Grid(None, columns="N", signs=(("start", "S"), ("goal", "G")))

    template = """
        You are in a maze of {N} rows and {N} columns, both numbered from 1 to {N}; row 1 is in the
        north and column 1 in the west. There are walls between some cells, and exactly one way from
        each cell to each other cell that visits no cell twice. You cannot see the walls, but in
        each cell you learn in which directions it is open. A move takes you to the next cell in one
        direction; a step against a wall leaves you where you are. Reach row {row}, column {column}
        to win.

        {here}

        Output format: one word, `north`, `east`, `south` or `west`.
        """

    def opening(self) -> str:
        row, column = self.goal
        return self.fill(row=row + 1, column=column + 1, here=self.seen(self.start))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d // 2 + (d >= 3)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        corners = rng.sample([(0, 0), (0, N - 1), (N - 1, 0), (N - 1, N - 1)], 2)
        path, seen = [corners[0]], {corners[0]}
        passages: list[tuple[Cell, Cell]] = []
        while path:
            new = [cell for cell in neighbours(N, N, path[-1]) if cell not in seen]
            if not new:
                path.pop()
                continue
            step = rng.choice(new)
            passages.append((path[-1], step))
            path.append(step)
            seen.add(step)
        return cls(N=N, start=corners[0], goal=corners[1], passages=passages)

    @property
    def turns(self) -> int:
        """Enough for any search depth first: the way, and side passages there and back."""
        near: dict[Cell, list[Cell]] = {}
        for one, other in self.passages:
            near.setdefault(one, []).append(other)
            near.setdefault(other, []).append(one)
        steps, pending = {self.start: 0}, [self.start]
        for here in pending:
            if here != self.goal:
                new = [cell for cell in near[here] if cell not in steps]
                steps |= dict.fromkeys(new, steps[here] + 1)
                pending += new
        return 2 * (len(steps) - 1) - steps[self.goal]

    def parse(self, text: str) -> str:
        return word(text, STEPS)

    def reply(self, moves: Sequence[str]) -> str | float:
        here, note = self.start, ""
        passages = set(self.passages)
        for move in moves:
            there = here[0] + STEPS[move][0], here[1] + STEPS[move][1]
            moved = (here, there) in passages or (there, here) in passages
            here, note = (there, "") if moved else (here, "There is a wall. ")
            if here == self.goal:
                return RIGHT
        return note + self.seen(here)

    def seen(self, here: Cell) -> str:
        ways = [
            name
            for name, (down, right) in STEPS.items()
            for there in [(here[0] + down, here[1] + right)]
            if (here, there) in self.passages or (there, here) in self.passages
        ]
        return f"You are in row {here[0] + 1}, column {here[1] + 1}. Open: {', '.join(ways)}."

    def play(self) -> Player:
        """Search depth first: take a way not yet taken, or else go back."""
        trail: list[str] = []
        ways = self.seen(self.start).partition("Open: ")[2].strip(".").split(", ")
        untried = [list(ways)]
        while True:
            if untried[-1]:
                trail.append(untried[-1].pop())
                said = yield trail[-1]
                ways = said.partition("Open: ")[2].strip(".").split(", ")
                untried.append([way for way in ways if way != BACK[trail[-1]]])
            else:
                untried.pop()
                yield BACK[trail.pop()]
