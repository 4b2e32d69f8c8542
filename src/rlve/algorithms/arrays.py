"""Sequences of numbers: permutations, monotonic subsequences, range structures."""

from bisect import bisect_left, bisect_right, insort
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import pairwise
from operator import add
from typing import NamedTuple


def inversions(values: Iterable[int]) -> int:
    """The number of pairs of positions in which the first has the larger value."""
    count = 0
    before: list[int] = []
    for value in values:
        count += len(before) - bisect_right(before, value)
        insort(before, value)
    return count


def is_permutation(values: Collection[int], n: int, *, first: int = 0) -> bool:
    """Whether the values are first, first + 1, ..., n of them, each once and in any order."""
    return len(values) == n and set(values) == set(range(first, first + n))


def is_increasing(values: Iterable[int]) -> bool:
    """Whether each value is larger than the one before it."""
    return all(a < b for a, b in pairwise(values))


def is_non_decreasing(values: Iterable[int]) -> bool:
    """Whether no value is smaller than the one before it."""
    return all(a <= b for a, b in pairwise(values))


def increasing_lengths(values: Iterable[int], *, strictly: bool = True) -> list[int]:
    """For each position, the length of the longest strictly increasing subsequence ending there.

    If not `strictly`, of the longest one that does not decrease.
    """
    find = bisect_left if strictly else bisect_right
    lengths: list[int] = []
    lasts: list[int] = []  # the smallest last value of a subsequence of length 1, 2, ...
    for value in values:
        index = find(lasts, value)
        lasts[index : index + 1] = [value]
        lengths.append(index + 1)
    return lengths


class Chains(NamedTuple):
    """For each position, the heaviest chain that ends there."""

    weights: list[int]  # of the chains
    before: list[int | None]  # the last position but one of each chain

    def to(self, position: int | None) -> list[int]:
        """The positions of the chain that ends at this one."""
        chain: list[int] = []
        while position is not None:
            chain.append(position)
            position = self.before[position]
        return chain[::-1]

    def heaviest(self) -> list[int]:
        """The positions of the heaviest chain of all; [] if there are none."""
        if not self.weights:
            return []
        return self.to(max(range(len(self.weights)), key=self.weights.__getitem__))


def heaviest_chains(weights: Sequence[int], may_follow: Callable[[int, int], bool]) -> Chains:
    """The heaviest chains of positions i < j < ..., each of which may follow the one before.

    may_follow(i, j) is only called for positions i < j.
    """
    chains = Chains([], [])
    for j, weight in enumerate(weights):
        options = [(chains.weights[i], i) for i in range(j) if may_follow(i, j)]
        heaviest, before = max(options, default=(0, None))
        chains.weights.append(weight + heaviest)
        chains.before.append(before)
    return chains


def cheapest_blocks(n: int, cost: Callable[[int, int], int]) -> list[int]:
    """The ends of the blocks that cut 0 .. n-1 at the smallest total cost.

    The block of positions start .. stop-1 has cost(start, stop), and stop is its end.
    """
    totals, starts = [0], [0]  # by the end of the last block
    for stop in range(1, n + 1):
        total, start = min((totals[start] + cost(start, stop), start) for start in range(stop))
        totals.append(total)
        starts.append(start)
    ends: list[int] = []
    stop = n
    while stop > 0:
        ends.append(stop)
        stop = starts[stop]
    return ends[::-1]


def cheapest_split(
    n: int,
    parts: int,
    cost: Callable[[int, int], int],
    *,
    nothing: int = 0,
    join: Callable[[int, int], int] = add,
) -> list[int]:
    """The ends of the blocks that cut 0 .. n-1 into this many parts at the smallest total cost.

    The block of positions start .. stop-1 has cost(start, stop), and stop is its end. The total of
    no block is `nothing`, and join(total, cost) is the total with one more block; it must not fall
    when `total` rises.
    """
    layers = [
        {0: (nothing, 0)}
    ]  # by the number of blocks: end of the last one -> (total, its start)
    for part in range(1, parts + 1):
        before = layers[-1]
        stops = range(part, n - parts + part + 1)  # each of the other blocks needs a position
        layers.append(
            {
                stop: min((join(before[i][0], cost(i, stop)), i) for i in before if i < stop)
                for stop in stops
            }
        )
    ends = [n]
    for layer in layers[:1:-1]:
        ends.append(layer[ends[-1]][1])
    return ends[::-1]


class MonotoneQueue:
    """The smallest value in a window of positions whose two ends only move forward."""

    def __init__(self) -> None:
        self._rising: deque[tuple[int, int]] = deque()  # (value, position), both increasing

    def push(self, position: int, value: int) -> None:
        """Add the next position to the window."""
        while self._rising and self._rising[-1][0] >= value:
            self._rising.pop()
        self._rising.append((value, position))

    def drop(self, before: int) -> None:
        """Remove the positions before this one from the window."""
        while self._rising and self._rising[0][1] < before:
            self._rising.popleft()

    def least(self) -> tuple[int, int]:
        """The smallest value in the window and its last position."""
        return self._rising[0]
