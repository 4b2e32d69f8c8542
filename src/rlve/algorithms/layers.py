"""Layers of a box of cells: all cells with the same coordinate on one axis."""

from typing import TypeAlias

from rlve.algorithms.bits import set_bits

Triple: TypeAlias = tuple[int, int, int]
Layer: TypeAlias = tuple[int, int]  # an axis and the common coordinate on it

NONE = -1


def fewest_layers(ones: list[Triple]) -> list[Layer]:
    """The fewest layers that contain all ones.

    Branch and bound on the layers along the axis with the fewest of them. Seen along that axis,
    what the chosen ones leave over is a plane of ones, in which as many lines are needed to contain
    all ones as a largest matching has pairs.
    """
    occupied = [sorted({one[axis] for one in ones}) for axis in range(3)]
    a, b, c = sorted(range(3), key=lambda axis: len(occupied[axis]))
    row_of = {y: k for k, y in enumerate(occupied[b])}
    column_of = {z: k for k, z in enumerate(occupied[c])}
    slices = {x: [0] * len(row_of) for x in occupied[a]}
    for one in ones:
        slices[one[a]][row_of[one[b]]] |= 1 << column_of[one[c]]
    empty = _Plane([0] * len(row_of), [NONE] * len(row_of), [NONE] * len(column_of))
    order = sorted(slices, key=lambda x: -empty.with_ones(slices[x]).size)
    best = [(a, x) for x in occupied[a]]

    def search(k: int, taken: list[Layer], plane: _Plane) -> None:
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


class _Plane:
    """Rows and columns, and a largest matching of them in which each pair meets at a one."""

    def __init__(self, near: list[int], column_of: list[int], row_of: list[int]) -> None:
        self.near = near  # by row, the columns with a one, as bits
        self.column_of = column_of  # by row, or NONE
        self.row_of = row_of  # by column, or NONE
        self.size = len(column_of) - column_of.count(NONE)

    def with_ones(self, more: list[int]) -> "_Plane":
        near = list(map(int.__or__, self.near, more))
        column_of, row_of = self.column_of[:], self.row_of[:]
        free = sum(1 << column for column, row in enumerate(row_of) if row == NONE)
        for start, column in enumerate(self.column_of):
            if column == NONE:
                free &= ~_match(start, near, column_of, row_of, free)
        return _Plane(near, column_of, row_of)

    def cover(self) -> tuple[list[int], list[int]]:
        """The fewest rows and columns that contain all ones (Koenig)."""
        waiting = [row for row, column in enumerate(self.column_of) if column == NONE]
        reached = 0  # columns
        for row in waiting:
            new = self.near[row] & ~reached
            reached |= new
            waiting += [self.row_of[column] for column in set_bits(new)]
        return sorted(set(range(len(self.near))) - set(waiting)), list(set_bits(reached))


def _match(start: int, near: list[int], column_of: list[int], row_of: list[int], free: int) -> int:
    """Match one more row, changing others where needed; return the free column used, as a bit."""
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
        for column in set_bits(new):
            before[row_of[column]] = row
            waiting.append(row_of[column])
    return 0
