"""Puzzles made from their solution by blanking cells."""

from collections.abc import Iterable
from random import Random
from typing import TypeVar

T = TypeVar("T")


def with_blanks(rng: Random, rows: Iterable[Iterable[T]], share: float, blank: T) -> list[list[T]]:
    """A copy with that share of the cells blank, rounded down but at least one."""
    copy = [list(row) for row in rows]
    N, M = len(copy), len(copy[0])
    for cell in rng.sample(range(N * M), max(1, int(N * M * share))):
        copy[cell // M][cell % M] = blank
    return copy
