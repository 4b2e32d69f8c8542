"""Latin squares of 0 .. n-1: each value occurs once in every row and every column."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple


def is_latin_square(rows: Sequence[Sequence[int]]) -> bool:
    """Whether rows, each with as many integers as there are rows, are a Latin square."""
    values = list(range(len(rows)))
    return all(sorted(line) == values for line in (*rows, *zip(*rows, strict=True)))


def visible(heights: Iterable[int]) -> list[int]:
    """The different heights seen from the front: those above all before them."""
    seen: list[int] = []
    for height in heights:
        if not seen or height > seen[-1]:
            seen.append(height)
    return seen


class Views(NamedTuple):
    """What is visible of each row, from the top, and of each column, from the left."""

    left: list[list[int]]
    right: list[list[int]]
    top: list[list[int]]
    bottom: list[list[int]]


def views(square: Sequence[Sequence[int]]) -> Views:
    """The visible heights of a square from its four sides."""
    columns = list(zip(*square, strict=True))
    return Views(
        left=[visible(row) for row in square],
        right=[visible(row[::-1]) for row in square],
        top=[visible(column) for column in columns],
        bottom=[visible(column[::-1]) for column in columns],
    )
