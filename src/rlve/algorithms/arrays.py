"""Sequences of numbers: inversions, monotonic subsequences, range structures."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable


def inversions(values: Iterable[int]) -> int:
    """The number of pairs of places of which the first has the larger value."""
    count = 0
    before: list[int] = []
    for value in values:
        count += len(before) - bisect_right(before, value)
        insort(before, value)
    return count


def increasing_lengths(values: Iterable[int]) -> list[int]:
    """For each place, the length of the longest strictly increasing subsequence that ends there."""
    lengths: list[int] = []
    lasts: list[int] = []  # the smallest last value of a subsequence of length 1, 2, ...
    for value in values:
        place = bisect_left(lasts, value)
        lasts[place : place + 1] = [value]
        lengths.append(place + 1)
    return lengths
