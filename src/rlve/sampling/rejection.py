"""Drawing again, with a bound, until a draw is acceptable."""

from collections.abc import Callable, Hashable
from random import Random
from typing import TypeVar

from rlve.errors import GenerationError

T = TypeVar("T")


def redraw(draw: Callable[[], T], until: Callable[[T], bool], *, tries: int = 1000) -> T:
    """The first acceptable draw; GenerationError if none of `tries` is."""
    for _ in range(tries):
        value = draw()
        if until(value):
            return value
    raise GenerationError(f"none of {tries:,} draws was acceptable")


def prefer(draw: Callable[[], T], until: Callable[[T], bool], *, tries: int = 20) -> T:
    """The first acceptable draw or, if none of `tries` is, the last one.

    Use it to avoid instances that are valid but too easy to guess: some levels have few others.
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
    """One of several draws, such that each value of `by` among them is equally likely.

    Use it if instances too often have the same answer: `by` is the answer.
    """
    drawn = {by(value): value for value in (draw() for _ in range(draws))}
    return rng.choice(list(drawn.values()))
