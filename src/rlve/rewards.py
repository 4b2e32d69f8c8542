"""The reward values and the few scoring rules that environments share."""

import math

UNPARSEABLE = -1.0
INVALID = -0.5
WRONG = 0.0
RIGHT = 1.0

BELOW_ONE = math.nextafter(1.0, 0.0)


def exact(right: bool) -> float:
    """All or nothing."""
    return RIGHT if right else WRONG


def exact_residue(answer: int, gold: int, modulus: int) -> float:
    """All or nothing for a residue; an answer outside 0 .. modulus-1 is invalid."""
    return exact(answer == gold) if 0 <= answer < modulus else INVALID


def ratio(part: float, whole: float) -> float:
    """part / whole, with 0 / 0 = 1; it is 1 exactly if part >= whole, for integers of any size.

    The published shapes are powers of it: ratio(gold, x) for a minimum, ratio(x, gold) for a
    maximum, ratio(right, all) for a count.
    """
    return 1.0 if part >= whole else min(part / whole, BELOW_ONE)


def closeness(x: float, gold: float) -> float:
    """The smaller of two non-negative numbers divided by the larger: 1 if and only if x == gold."""
    return ratio(min(x, gold), max(x, gold))
