import json
from functools import cache
from importlib.resources import files
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.rewards import closeness
from rlve.text import counted

TABULATED = 16  # from this N on, counts come from a table: computing them takes up to a minute


class RoyalLockCounting(Environment[int]):
    """Count the ways to put kings on a square board so that none attacks another.

    At N = 3 there are one or two kings, so a guess is right half of the time.
    """

    N: int
    K: int
    reference_answer: int

    max_difficulty = 20  # N = 23, where the table ends

    template = """
        In how many ways can {kings} be put on a board of {N} rows and {N} columns so that no
        two kings attack each other? At most one king stands on a cell, and a king attacks the up to
        8 cells that share an edge or a corner with its own.

        The kings are all alike, so only the set of their cells matters. Sets that differ by a
        rotation or reflection of the board count as different.

        Output format: one integer, the exact number of ways.
        """

    def prompt(self) -> str:
        return self.fill(kings=counted(self.K, "king"))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        K = rng.randint(1, max(1, N * N // 4))
        return cls(N=N, K=K, reference_answer=placements(N)[K])

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10


@cache
def placements(N: int) -> list[int]:
    """The number of placements of K kings on an N x N board, for K = 0, 1, ..."""
    return count_placements(N) if N < TABULATED else table()[str(N)]


@cache
def table() -> dict[str, list[int]]:
    """What count_placements returns for larger boards."""
    folder = files("rlve.envs.combinatorics")
    return json.loads((folder / "royal_lock_counting.json").read_text())


def count_placements(N: int) -> list[int]:
    """The number of placements of K kings for each K, from two parts of the board that share a row.

    The counts for all K are the digits of one integer, whose base exceeds them: adding a king is a
    shift, and joining the two parts is a multiplication.
    """
    rows = (N + 1) // 2
    digit = 7 * rows * rows // 3 + 1  # bits; each block of 2 x 2 cells is in one of 5 states
    part = {0: 1}  # placements by the cells that the last row takes
    for _ in range(rows):
        part = add_row(part, N, digit)
    other = part if N % 2 else add_row(part, N, digit)
    joined = sum(part[row] * (other[row] >> digit * row.bit_count()) for row in part)
    counts: list[int] = []
    while joined:
        counts.append(joined & (1 << digit) - 1)
        joined >>= digit
    return counts


def add_row(part: dict[int, int], N: int, digit: int) -> dict[int, int]:
    """The placements with one more row, which is added cell by cell.

    A state holds the cells of the new row so far, then those of the last row. Bit N is the cell of
    the last row that has just been passed.
    """
    corner = 1 << N
    for column in range(N):
        cell = 1 << column
        attacked = corner | cell | cell >> 1 | cell << 1
        extended: dict[int, int] = {}
        for state, number in part.items():
            without = state & ~(corner | cell) | (corner if state & cell else 0)
            extended[without] = extended.get(without, 0) + number
            if not state & attacked:
                extended[without | cell] = extended.get(without | cell, 0) + (number << digit)
        part = extended
    merged: dict[int, int] = {}
    for state, number in part.items():
        merged[state & ~corner] = merged.get(state & ~corner, 0) + number
    return merged
