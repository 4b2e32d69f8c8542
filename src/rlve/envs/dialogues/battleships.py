from collections.abc import Sequence
from random import Random
from typing import Self, TypeAlias

from rlve import Level
from rlve.answers import integers
from rlve.dialogue import Dialogue, Player
from rlve.errors import GenerationError
from rlve.foundation.pictures import Grid
from rlve.rewards import RIGHT
from rlve.text import spaced

Cell: TypeAlias = tuple[int, int]
DIRECTIONS = ((0, 1), (0, -1), (1, 0), (-1, 0))


class Battleships(Dialogue[Cell]):
    """Sink all ships of a hidden fleet."""

    N: int
    lengths: list[int]
    ships: list[list[Cell]]

    picture = Grid(None, columns="N")

    template = """
        A fleet of {count} ships hides in a grid of {N} rows and {N} columns, both numbered from 1
        to {N}. Each ship is a straight line of cells in one row or one column; the lengths are
        {lengths}. No two ships touch, not even at a corner. Fire at a cell: I say `miss`, `hit`, or
        `sunk` if that was the last cell of a ship that you had not yet hit. Sink all ships to win.

        Output format: two integers, the row and the column of the cell, such as `1 3`.
        """

    def opening(self) -> str:
        return self.fill(count=len(self.lengths), lengths=", ".join(map(str, self.lengths)))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 6 + d // 2, "S": 2 + d // 3}]

    @classmethod
    def sample(cls, rng: Random, N: int, S: int) -> Self:
        lengths = [3 + i % 2 for i in range(S)]
        for _ in range(100):
            if ships := _fleet(rng, N, lengths):
                return cls(N=N, lengths=lengths, ships=ships)
        raise GenerationError(f"{S} ships found no room in a grid of {N} rows")

    @property
    def turns(self) -> int:
        # Every third diagonal meets all ships; each then costs its other cells and three misses.
        return (self.N**2 + 2) // 3 + sum(length + 2 for length in self.lengths)

    def parse(self, text: str) -> Cell:
        row, column = integers(text, count=2)
        return row, column

    def reply(self, moves: Sequence[Cell]) -> str | float:
        shots = set(moves)
        if all(shots.issuperset(ship) for ship in self.ships):
            return RIGHT
        if not all(1 <= x <= self.N for x in moves[-1]):
            return f"Not allowed: rows and columns are numbered from 1 to {self.N}."
        if moves[-1] in moves[:-1]:
            return "You have fired there before."
        for ship in self.ships:
            if moves[-1] in ship:
                return "sunk" if shots.issuperset(ship) else "hit"
        return "miss"

    def play(self) -> Player:
        """Fire along every third diagonal; after a hit, follow the ship in each direction."""
        cells = {(r, c) for r in range(1, self.N + 1) for c in range(1, self.N + 1)}
        fired: set[Cell] = set()
        for first in sorted(cell for cell in cells if sum(cell) % 3 == 1):
            if first in fired:
                continue
            fired.add(first)
            said = yield spaced(first)
            for step in DIRECTIONS if said == "hit" else ():
                if said == "sunk":
                    break
                said = "hit"
                row, column = first
                while said == "hit":
                    row, column = row + step[0], column + step[1]
                    if (row, column) not in cells or (row, column) in fired:
                        break
                    fired.add((row, column))
                    said = yield spaced((row, column))


def _fleet(rng: Random, N: int, lengths: list[int]) -> list[list[Cell]] | None:
    """Ships of these lengths at random places, or None if the last found no room."""
    ships: list[list[Cell]] = []
    taken: set[Cell] = set()  # cells of ships and next to them
    for length in lengths:
        places = [
            [(r + i * down, c + i * (1 - down)) for i in range(length)]
            for down in (0, 1)
            for r in range(1, N + 1 - (length - 1) * down)
            for c in range(1, N + 1 - (length - 1) * (1 - down))
        ]
        free = [place for place in places if taken.isdisjoint(place)]
        if not free:
            return None
        ships.append(rng.choice(free))
        taken |= {(r + i, c + j) for r, c in ships[-1] for i in (-1, 0, 1) for j in (-1, 0, 1)}
    return ships
