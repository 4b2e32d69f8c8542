"""Games of two players who move in turn, in which the first without a move loses.

The Grundy value of a position is the mex of those of all positions one move leads to; several games
side by side have the nim sum of their values. The player to move wins if and only if the value is
not 0.
"""

from collections.abc import Iterable


def mex(values: Iterable[int]) -> int:
    """The smallest integer >= 0 that is not among the values."""
    present = set(values)
    smallest = 0
    while smallest in present:
        smallest += 1
    return smallest


def nim_sum(values: Iterable[int]) -> int:
    """The XOR of all values; 0 if there are none."""
    total = 0
    for value in values:
        total ^= value
    return total
