"""Optimisation methods that several environments use."""

from collections.abc import Callable
from typing import TypeVar

Choice = TypeVar("Choice")


def highest_ratio(
    choose: Callable[[int, int], Choice], sums: Callable[[Choice], tuple[int, int]]
) -> Choice:
    """The choice whose sums (a, b), b > 0, have the highest ratio a / b >= 0 (Dinkelbach).

    choose(p, q) makes q * a - p * b as large as possible.
    """
    p, q = 0, 1
    while True:
        choice = choose(p, q)
        a, b = sums(choice)
        if a * q == p * b:
            return choice
        p, q = a, b
