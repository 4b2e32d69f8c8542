from collections import deque
from collections.abc import Sequence
from random import Random
from typing import Self, TypeAlias

from rlve import Level
from rlve.answers import word
from rlve.dialogue import Dialogue, Player
from rlve.foundation.pictures import Grid
from rlve.rewards import RIGHT
from rlve.sampling.rejection import redraw
from rlve.text import joined, lines

Cell: TypeAlias = tuple[int, int]
STEPS = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}
BACK = {"up": "down", "down": "up", "left": "right", "right": "left"}


class Sokoban(Dialogue[str]):
    """Push boxes onto their places."""

    N: int
    walls: list[Cell]
    places: list[Cell]
    boxes: list[Cell]
    start: Cell
    solution: list[str]

    picture = Grid(
        None, columns="N", signs=(("walls", "#"), ("places", "o"), ("boxes", "B"), ("start", "P"))
    )

    template = """
        You stand in a store room of {N} rows and {N} columns:

        {room}

        `#` is a wall, `.` a free cell, `o` a place for a box, `B` a box, `X` a box on a place, `P`
        is you, and `Q` is you on a place. A move takes you one cell up, down, left or right. If a
        box is there, you push it one cell further, unless a wall or another box is in its way. You
        cannot pull. Push every box onto a place to win.

        Output format: one word, `up`, `down`, `left` or `right`.
        """

    def opening(self) -> str:
        return self.fill(room=self.shown(self.start, set(self.boxes)))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 6 + d // 4, "boxes": 1 + d // 5, "pulls": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int, boxes: int, pulls: int) -> Self:
        cells = [(r, c) for r in range(N) for c in range(N)]
        rim = [cell for cell in cells if {0, N - 1} & {*cell}]
        inner = [cell for cell in cells if cell not in rim]

        def draw() -> tuple[int, Self]:
            chosen = rng.sample(inner, boxes + 1 + len(inner) // 12)
            start, places, blocks = chosen[0], chosen[1 : boxes + 1], chosen[boxes + 1 :]
            room = _Room(set(inner) - set(blocks), start, set(places))
            while len(room.seen) <= pulls and room.pull(rng):
                pass
            made = cls(
                N=N,
                walls=sorted([*rim, *blocks]),
                places=sorted(places),
                boxes=sorted(room.boxes),
                start=room.player,
                solution=[BACK[step] for step in reversed(room.steps)],
            )
            return len(room.seen), made

        def until(drawn: tuple[int, Self]) -> bool:
            pulled, made = drawn
            return pulled > pulls and not set(made.boxes) & set(made.places)

        return redraw(draw, until)[1]

    @property
    def turns(self) -> int:
        return len(self.solution) + len(self.solution) // 2  # with room for detours

    def parse(self, text: str) -> str:
        return word(text, STEPS)

    def reply(self, moves: Sequence[str]) -> str | float:
        here, boxes, walls = self.start, set(self.boxes), set(self.walls)
        note = ""
        for move in moves:
            there = _next(here, move)
            beyond = _next(there, move)
            blocked = there in walls or (there in boxes and beyond in walls | boxes)
            note = "You cannot go there.\n" if blocked else ""
            if blocked:
                continue
            if there in boxes:
                boxes = boxes - {there} | {beyond}
            here = there
            if boxes == set(self.places):
                return RIGHT
        return note + self.shown(here, boxes)

    def shown(self, here: Cell, boxes: set[Cell]) -> str:
        walls, places = set(self.walls), set(self.places)

        def sign(cell: Cell) -> str:
            if cell in walls:
                return "#"
            on = cell in places
            return "PQ"[on] if cell == here else "BX"[on] if cell in boxes else ".o"[on]

        return lines(joined(sign((r, c)) for c in range(self.N)) for r in range(self.N))

    def play(self) -> Player:
        """Push back what was pulled."""
        for step in self.solution:  # noqa: UP028  a list cannot be sent the replies
            yield step


class _Room:
    """A room in which boxes are pulled away from their places."""

    def __init__(self, floor: set[Cell], player: Cell, boxes: set[Cell]) -> None:
        self.floor = floor
        self.player = player
        self.boxes = boxes
        self.steps: list[str] = []
        self.seen = {frozenset(boxes)}

    def pull(self, rng: Random) -> bool:
        """Walk to a box and pull it one cell, to where the boxes have not yet been; or do not."""
        ways = self._ways()
        pulls = [
            (here, step, box)
            for box in sorted(self.boxes)
            for step in STEPS
            for here in [_next(box, step)]
            if here in ways and self._is_free(_next(here, step))
            if frozenset(self.boxes - {box} | {here}) not in self.seen
        ]
        if not pulls:
            return False
        here, step, box = rng.choice(pulls)
        self.steps += [*ways[here], step]
        self.boxes = self.boxes - {box} | {here}
        self.seen.add(frozenset(self.boxes))
        self.player = _next(here, step)
        return True

    def _is_free(self, cell: Cell) -> bool:
        return cell in self.floor and cell not in self.boxes

    def _ways(self) -> dict[Cell, list[str]]:
        """The steps to each cell that can be reached."""
        ways: dict[Cell, list[str]] = {self.player: []}
        queue = deque([self.player])
        while queue:
            cell = queue.popleft()
            for step in STEPS:
                there = _next(cell, step)
                if self._is_free(there) and there not in ways:
                    ways[there] = [*ways[cell], step]
                    queue.append(there)
        return ways


def _next(cell: Cell, step: str) -> Cell:
    return cell[0] + STEPS[step][0], cell[1] + STEPS[step][1]
