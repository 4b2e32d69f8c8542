from collections.abc import Sequence
from random import Random
from typing import Self

from rlve import Level
from rlve.algorithms.grids import neighbours
from rlve.answers import integer
from rlve.dialogue import Dialogue, Player
from rlve.foundation.pictures import Grid
from rlve.rewards import RIGHT
from rlve.sampling.rejection import redraw
from rlve.text import grid

BLANK = 0


class SlidingTiles(Dialogue[int]):
    """Slide tiles into the empty cell until they are in order."""

    N: int
    tiles: list[int]  # row by row, with 0 for the empty cell
    solution: list[int]  # the tiles to slide

    picture = Grid("tiles", columns="N", blank="0")

    template = """
        The tiles 1 to {last} lie in a grid of {N} rows and {N} columns. One cell is empty, shown
        as 0:

        {tiles}

        A move slides a tile that is above, below, left or right of the empty cell into it. Bring
        the tiles into order to win: 1, 2, 3, ... row by row, with the empty cell at the end.

        Output format: one integer, the number of the tile to slide.
        """

    def opening(self) -> str:
        return self.fill(last=self.N**2 - 1, tiles=shown(self.tiles, self.N))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d // 6, "moves": 3 + 2 * d}]

    @classmethod
    def sample(cls, rng: Random, N: int, moves: int) -> Self:
        def draw() -> tuple[list[int], list[int]]:
            tiles, slid = in_order(N), list[int]()
            for _ in range(moves):
                movable = [tile for tile in _movable(tiles, N) if [tile] != slid[-1:]]
                slid.append(rng.choice(movable))
                _slide(tiles, slid[-1])
            return tiles, slid[::-1]

        tiles, solution = redraw(draw, lambda drawn: drawn[0] != in_order(N))
        return cls(N=N, tiles=tiles, solution=solution)

    @property
    def turns(self) -> int:
        return len(self.solution) + len(self.solution) // 4 + 1  # with room for a few mistakes

    def parse(self, text: str) -> int:
        return integer(text)

    def reply(self, moves: Sequence[int]) -> str | float:
        tiles, note = list(self.tiles), ""
        for tile in moves:
            allowed = tile in _movable(tiles, self.N)
            note = "" if allowed else "Not allowed: this tile is not next to the empty cell.\n"
            if allowed:
                _slide(tiles, tile)
            if tiles == in_order(self.N):
                return RIGHT
        return note + shown(tiles, self.N)

    def play(self) -> Player:
        """Undo what mixed the tiles."""
        for tile in self.solution:
            yield str(tile)


def in_order(N: int) -> list[int]:
    return [*range(1, N * N), BLANK]


def shown(tiles: list[int], N: int) -> str:
    return grid(tiles[i : i + N] for i in range(0, N * N, N))


def _movable(tiles: list[int], N: int) -> list[int]:
    return [tiles[r * N + c] for r, c in neighbours(N, N, divmod(tiles.index(BLANK), N))]


def _slide(tiles: list[int], tile: int) -> None:
    i, j = tiles.index(tile), tiles.index(BLANK)
    tiles[i], tiles[j] = BLANK, tile
