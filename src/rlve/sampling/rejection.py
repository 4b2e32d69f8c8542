"""Drawing again, with a bound, until a draw is acceptable."""

from collections.abc import Callable, Hashable
from random import Random
from typing import TypeVar

from rlve.errors import GenerationError

T = TypeVar("T")


def redraw(draw: Callable[[], T], until: Callable[[T], bool], *, tries: int = 1000) -> T:
    """The first draw that is acceptable; GenerationError if none of `tries` is."""
    for _ in range(tries):
        value = draw()
        if until(value):
            return value
    raise GenerationError(f"none of {tries:,} draws was acceptable")


def prefer(draw: Callable[[], T], until: Callable[[T], bool], *, tries: int = 20) -> T:
    """The first draw that is acceptable or, where none of `tries` is, the last one.

    For instances that are valid but too easy to guess: some levels have hardly any others.
    """
    value = draw()
    for _ in range(tries - 1):
        if until(value):
            break
        value = draw()
    return value


def spread(
    rng: Random, draw: Callable[[], T], by: Callable[[T], Hashable], *, draws: int = 12
) -> T:
    """One of several draws; each value that `by` has among them is equally likely.

    For instances that too often have one and the same answer: `by` is the answer.
    """
    drawn = {by(value): value for value in (draw() for _ in range(draws))}
    return rng.choice(list(drawn.values()))
