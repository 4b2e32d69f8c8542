"""Walks along lists: scanning, sorting, counting, states and tables."""

from collections.abc import Callable, Iterable, Sequence

from rlve.contract import Work
from rlve.text import spaced


def state(label: str, values: Iterable[object]) -> str:
    """A list as every worked solution writes it: `Queue: 3 5`, `Row 2: 0 1 4`, `Left: none`."""
    return f"{label}: {spaced(values) or 'none'}"


def find_largest(values: Sequence[int]) -> Work[int]:
    """The largest of some numbers, by going through them."""
    return (yield from _scan(values, ">", "<=", max))


def find_smallest(values: Sequence[int]) -> Work[int]:
    """The smallest of some numbers, by going through them."""
    return (yield from _scan(values, "<", ">=", min))


def _scan(
    values: Sequence[int], better: str, worse: str, choose: Callable[[int, int], int]
) -> Work[int]:
    best = values[0]
    parts = [f"Start with {best}"]
    for value in values[1:]:
        if value != best and choose(value, best) == value:
            parts.append(f"{value} {better} {best}, take {value}")
            best = value
        else:
            parts.append(f"{value} {worse} {best}")
    yield "; ".join(parts)
    return best


def selection_sort(values: Sequence[int]) -> Work[list[int]]:
    """The numbers in ascending order: take the smallest of those that are left, again and again."""
    left, taken = list(values), list[int]()
    while len(left) > 1:
        taken.append(min(left))
        left.remove(taken[-1])
        yield f"Smallest {taken[-1]}, left: {spaced(left)}"
    taken += left
    yield state("Sorted", taken)
    return taken


def count_cases(cases: Iterable[tuple[str, bool]]) -> Work[int]:
    """How many cases hold: each is named, and those that hold are numbered."""
    found = 0
    for name, holds in cases:
        found += holds
        yield f"{name}: yes, count {found}" if holds else f"{name}: no"
    yield f"Count: {found}"
    return found
