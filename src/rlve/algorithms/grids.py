"""Grids: lists of rows. A cell is (row, column), counted from 0."""

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from operator import eq
from typing import TypeAlias

Cell: TypeAlias = tuple[int, int]

SIDES: tuple[Cell, ...] = ((-1, 0), (0, -1), (0, 1), (1, 0))
CORNERS: tuple[Cell, ...] = ((-1, -1), (-1, 1), (1, -1), (1, 1))


def neighbours(N: int, M: int, cell: Cell, steps: tuple[Cell, ...] = SIDES) -> list[Cell]:
    """The cells one of these steps away, in a grid of N rows and M columns."""
    i, j = cell
    return [(i + x, j + y) for x, y in steps if 0 <= i + x < N and 0 <= j + y < M]


def equal_cells(grid: Iterable[Iterable[object]], other: Iterable[Iterable[object]]) -> int:
    """The number of cells at which two grids of the same size are equal."""
    return sum(sum(map(eq, row, other_row)) for row, other_row in zip(grid, other, strict=True))


def keeps(
    filled: Iterable[Iterable[object]], puzzle: Iterable[Iterable[object]], blank: object
) -> bool:
    """Whether a filled grid has the value of every cell of the puzzle that is not blank."""
    return all(
        given in (blank, value)
        for row, givens in zip(filled, puzzle, strict=True)
        for value, given in zip(row, givens, strict=True)
    )


def steps_from(
    N: int, M: int, sources: Iterable[Cell], free: Callable[[Cell], bool]
) -> dict[Cell, int]:
    """The least number of steps across sides from a source to each reachable free cell."""
    distance = dict.fromkeys(sources, 0)
    waiting = list(distance)
    for cell in waiting:
        for beside in neighbours(N, M, cell):
            if beside not in distance and free(beside):
                distance[beside] = distance[cell] + 1
                waiting.append(beside)
    return distance


def prefix_sums(matrix: Sequence[Sequence[int]]) -> list[list[int]]:
    """At [i][j], the sum of the first j entries of the first i rows."""
    sums = [[0] * (len(matrix[0]) + 1)]
    for row in matrix:
        above = sums[-1]
        sums.append([x + y for x, y in zip(above, accumulate(row, initial=0), strict=True)])
    return sums
