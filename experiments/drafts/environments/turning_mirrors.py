import re
from random import Random
from typing import Self

import rlve

STEPS = {"N": (-1, 0), "S": (1, 0), "E": (0, 1), "W": (0, -1)}
OPPOSITE = {"N": "S", "S": "N", "E": "W", "W": "E"}
TURNS = {
    "/": {"E": "N", "N": "E", "W": "S", "S": "W"},
    "\\": {"E": "S", "S": "E", "W": "N", "N": "W"},
}
OTHER = {"/": "\\", "\\": "/"}
SIDE_NAMES = {"N": "north", "S": "south", "E": "east", "W": "west"}


def trace(grid: list[str], side: str, place: int) -> tuple[str, int, int, int]:
    """The side and the place where the ray leaves, the hits, and the most hits of one mirror."""
    size = len(grid)
    cells = [list(row) for row in grid]
    counts = {}
    heading = OPPOSITE[side]
    if side in "WE":
        row, column = place - 1, 0 if side == "W" else size - 1
    else:
        row, column = 0 if side == "N" else size - 1, place - 1
    hits = 0
    while 0 <= row < size and 0 <= column < size:
        mirror = cells[row][column]
        if mirror != ".":
            heading = TURNS[mirror][heading]
            cells[row][column] = OTHER[mirror]
            hits += 1
            counts[row, column] = counts.get((row, column), 0) + 1
        row += STEPS[heading][0]
        column += STEPS[heading][1]
    out = (row if heading in "WE" else column) + 1
    return heading, out, hits, max(counts.values(), default=0)


def winding_grid(rng: Random, size: int, extra: int) -> list[str]:
    """The ray from the west in row 2 goes round a loop, hits two mirrors again, and winds down: 8 + extra hits."""
    cells = [["."] * size for _ in range(size)]
    left = rng.randint(1, size - 2)
    right = rng.randint(left + 1, size - 1)
    cells[1][left] = cells[0][left] = cells[1][right] = cells[0][0] = "/"
    cells[0][right] = "\\"
    path = [(2, 0, "\\")]
    for row in range(2, size - 1):
        column, first, second = (size - 1, "\\", "/") if row % 2 == 0 else (0, "/", "\\")
        path += [(row, column, first), (row + 1, column, second)]
    for row, column, mirror in path[: 1 + extra]:
        cells[row][column] = mirror
    return ["".join(row) for row in cells]


class TurningMirrors(rlve.Environment[tuple[str, int, int]]):
    """Follow a ray of light among mirrors that turn over when they are hit."""

    size: int
    min_hits: int
    max_hits: int
    twice: int  # 1: some mirror is hit more than once
    grid: list[str]
    side: str
    place: int
    reference_answer: str

    template = """
        This is a grid of {size} rows and {size} columns:

        {rows}

        Rows are counted from 1 at the top (north), columns from 1 at the left (west). A "." is an empty cell, "/" and "\\" are cells with a mirror. A ray of light comes from outside {entry}.

        The ray moves from cell to cell:
        - In an empty cell it goes straight on.
        - In a cell with "/", a ray that moves east turns north, north turns east, west turns south, south turns west.
        - In a cell with "\\", a ray that moves east turns south, south turns east, west turns north, north turns west.
        - Directly after a mirror has turned the ray, the mirror turns over: "/" becomes "\\", and "\\" becomes "/". It stays so until it is hit again.

        The ray goes on until it leaves the grid. Through which side does it leave, in which column or row, and how many times was it turned by mirrors in all? A mirror that turns the ray several times counts each time.

        Output format: one of the letters N, E, S, W for the side through which the ray leaves (N is the top, E the right, S the bottom, W the left side), then the number of the column (for N and S) or of the row (for E and W) in which it leaves, then the number of turns, separated by single spaces, for example: E 3 7
        """

    def prompt(self) -> str:
        kind = "row" if self.side in "WE" else "column"
        heading = SIDE_NAMES[OPPOSITE[self.side]]
        return self.fill(
            rows="\n".join(self.grid),
            entry=f"through the {SIDE_NAMES[self.side]} side into {kind} {self.place} and moves {heading}",
        )

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [{"size": 5 + 3 * d // 4, "min_hits": 3 + d, "max_hits": 8 + 4 * d, "twice": min(d, 1)}]

    @classmethod
    def sample(cls, rng: Random, size: int, min_hits: int, max_hits: int, twice: int) -> Self:
        for attempt in range(1600):
            if attempt % 8 == 0:  # eight rays are tried in each grid
                grid = [
                    "".join(rng.choice("/\\") if rng.random() < 0.45 else "." for _ in range(size))
                    for _ in range(size)
                ]
            side = rng.choice("NESW")
            place = rng.randint(1, size)
            out_side, out, hits, most = trace(grid, side, place)
            if min_hits <= hits <= max_hits and most > twice:
                break
        else:
            most_extra = min(2 * (size - 3), max_hits - 8)
            grid = winding_grid(rng, size, rng.randint(min(max(0, min_hits - 8), most_extra), most_extra))
            side, place = "W", 2
            out_side, out, hits, most = trace(grid, side, place)
        return cls(
            size=size,
            min_hits=min_hits,
            max_hits=max_hits,
            twice=twice,
            grid=grid,
            side=side,
            place=place,
            reference_answer=f"{out_side} {out} {hits}",
        )

    def parse(self, text: str) -> tuple[str, int, int]:
        match = re.fullmatch(r"([NESWnesw]) +([0-9]{1,6}) +([0-9]{1,6})", text.strip())
        if match is None:
            raise rlve.Unparseable("expected a letter and two integers")
        return match[1].upper(), int(match[2]), int(match[3])

    def score(self, answer: tuple[str, int, int]) -> float:
        side, place, hits = self.reference_answer.split()
        return 1.0 if tuple(answer) == (side, int(place), int(hits)) else 0.0
