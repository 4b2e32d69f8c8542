from itertools import accumulate
from random import Random
from typing import Self, TypeAlias

from rlve import Environment, Level
from rlve.answers import integer_rows
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import redraw
from rlve.text import grid, lines

Triple: TypeAlias = tuple[int, int, int]
Layer: TypeAlias = tuple[int, int]  # an axis, and the coordinate that all cells have on it

MOST_ONES = 2800  # they take up to 30,800 characters
UNCLEARED = -0.2
NONE = -1


class Disinfection(Environment[list[list[int]]]):
    """Clear all ones in a box at least cost, where clearing a block costs its shortest side.

    Boxes with more ones than a prompt can show are redrawn; they are rare up to difficulty 20.
    """

    MAX_A_B_C: int
    A: int
    B: int
    C: int
    one_coordinates: list[Triple]
    gold_answer: int  # the least total cost

    template = """
        A box consists of {A} x {B} x {C} cells (x,y,z) with 0 <= x < {A}, 0 <= y < {B} and
        0 <= z < {C}. These cells hold a 1, all others hold a 0:

        {ones}

        An operation chooses integers 0 <= x1 < x2 <= {A}, 0 <= y1 < y2 <= {B} and
        0 <= z1 < z2 <= {C}. It sets all cells (x,y,z) with x1 <= x < x2, y1 <= y < y2 and
        z1 <= z < z2 to 0; its cost is the smallest of x2 - x1, y2 - y1 and z2 - z1.

        Find operations after which all cells hold 0. Make their total cost as small as possible.
        Operations can overlap.

        Output format: one line for each operation, with six integers separated by spaces:
        x1 x2 y1 y2 z1 z2
        """

    def prompt(self) -> str:
        return self.fill(ones=lines(f"({x},{y},{z})" for x, y, z in self.one_coordinates))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_A_B_C": d + 2}]

    @classmethod
    def sample(cls, rng: Random, MAX_A_B_C: int) -> Self:
        (A, B, C), ones = redraw(
            lambda: random_box(rng, MAX_A_B_C),
            until=lambda drawn: max(drawn[0]) > 1 and len(drawn[1]) <= MOST_ONES,
        )
        return cls(
            MAX_A_B_C=MAX_A_B_C,
            A=A,
            B=B,
            C=C,
            one_coordinates=ones,
            gold_answer=len(fewest_layers(ones)),
        )

    def parse(self, text: str) -> list[list[int]]:
        return integer_rows(text, columns=6)

    def score(self, answer: list[list[int]]) -> float:
        sizes = (self.A, self.B, self.C)
        blocks = [(row[0:2], row[2:4], row[4:6]) for row in answer]
        if not all(
            0 <= low < high <= size
            for block in blocks
            for (low, high), size in zip(block, sizes, strict=True)
        ):
            return INVALID
        # The ones below each coordinate, as bits: an answer can have thousands of operations.
        below = [ones_below(self.one_coordinates, axis, size) for axis, size in enumerate(sizes)]
        left = below[0][-1]
        for block in blocks:
            x, y, z = (
                ones[low] ^ ones[high] for ones, (low, high) in zip(below, block, strict=True)
            )
            left &= ~(x & y & z)
        if left:
            return UNCLEARED
        cost = sum(min(high - low for low, high in block) for block in blocks)
        return ratio(self.gold_answer, cost) ** 5

    def reference(self) -> str:
        blocks: list[list[int]] = []
        for axis, coordinate in fewest_layers(self.one_coordinates):
            ranges = [[0, self.A], [0, self.B], [0, self.C]]
            ranges[axis] = [coordinate, coordinate + 1]
            blocks.append([x for ends in ranges for x in ends])
        return grid(blocks)


def random_box(rng: Random, most: int) -> tuple[list[int], list[Triple]]:
    """The sizes of a box, and ones on some coordinates of each axis."""
    sizes = [rng.randint(1, most) for _ in range(3)]
    xs, ys, zs = (rng.sample(range(size), rng.randint(1, size)) for size in sizes)
    cells = [(x, y, z) for x in xs for y in ys for z in zs]
    return sizes, rng.sample(cells, rng.randint(1, len(cells)))


def ones_below(ones: list[Triple], axis: int, size: int) -> list[int]:
    """For each bound 0 .. size, the ones with a coordinate below it, as the bits of an integer."""
    at = [0] * size
    for number, one in enumerate(ones):
        at[one[axis]] |= 1 << number
    return list(accumulate(at, int.__or__, initial=0))


def fewest_layers(ones: list[Triple]) -> list[Layer]:
    """The fewest layers of thickness 1 that contain all ones; they cost as little as any blocks.

    A block of cost c consists of c layers. Branch and bound on the layers along the axis with the
    fewest of them: what the chosen ones leave over is seen along that axis as a plane of ones, in
    which the fewest lines that contain all ones are as many as a largest matching has.
    """
    occupied = [sorted({one[axis] for one in ones}) for axis in range(3)]
    a, b, c = sorted(range(3), key=lambda axis: len(occupied[axis]))
    row_of = {y: k for k, y in enumerate(occupied[b])}
    column_of = {z: k for k, z in enumerate(occupied[c])}
    slices = {x: [0] * len(row_of) for x in occupied[a]}
    for one in ones:
        slices[one[a]][row_of[one[b]]] |= 1 << column_of[one[c]]
    empty = Plane([0] * len(row_of), [NONE] * len(row_of), [NONE] * len(column_of))
    order = sorted(slices, key=lambda x: -empty.with_ones(slices[x]).size)
    best = [(a, x) for x in occupied[a]]

    def search(k: int, taken: list[Layer], plane: Plane) -> None:
        nonlocal best
        if len(taken) + plane.size >= len(best):
            return
        if k == len(order):
            rows, columns = plane.cover()
            best = [
                *taken,
                *((b, occupied[b][row]) for row in rows),
                *((c, occupied[c][column]) for column in columns),
            ]
            return
        fuller = plane.with_ones(slices[order[k]])
        search(k + 1, taken, fuller)
        if fuller.near != plane.near:
            search(k + 1, [*taken, (a, order[k])], plane)

    search(0, [], empty)
    return best


class Plane:
    """Rows and columns, and a largest matching of them in which each pair meets at a one."""

    def __init__(self, near: list[int], column_of: list[int], row_of: list[int]) -> None:
        self.near = near  # by row, the columns with a one, as bits
        self.column_of = column_of  # by row, or NONE
        self.row_of = row_of  # by column, or NONE
        self.size = len(column_of) - column_of.count(NONE)

    def with_ones(self, more: list[int]) -> "Plane":
        near = list(map(int.__or__, self.near, more))
        column_of, row_of = self.column_of[:], self.row_of[:]
        free = sum(1 << column for column, row in enumerate(row_of) if row == NONE)
        for start, column in enumerate(self.column_of):
            if column == NONE:
                free &= ~_match(start, near, column_of, row_of, free)
        return Plane(near, column_of, row_of)

    def cover(self) -> tuple[list[int], list[int]]:
        """The fewest rows and columns that contain all ones (Koenig)."""
        waiting = [row for row, column in enumerate(self.column_of) if column == NONE]
        reached = 0  # columns
        for row in waiting:
            new = self.near[row] & ~reached
            reached |= new
            waiting += [self.row_of[column] for column in _bits(new)]
        return sorted(set(range(len(self.near))) - set(waiting)), _bits(reached)


def _match(start: int, near: list[int], column_of: list[int], row_of: list[int], free: int) -> int:
    """Match one more row, changing others where needed; the free column taken up, as a bit."""
    waiting, before, seen = [start], {start: NONE}, 0
    for row in waiting:
        if near[row] & free:
            column = taken = (near[row] & free).bit_length() - 1
            while row != NONE:
                row_of[column], column_of[row], column = row, column, column_of[row]
                row = before[row]
            return 1 << taken
        new = near[row] & ~seen
        seen |= new
        for column in _bits(new):
            before[row_of[column]] = row
            waiting.append(row_of[column])
    return 0


def _bits(mask: int) -> list[int]:
    return [k for k in range(mask.bit_length()) if mask >> k & 1]
