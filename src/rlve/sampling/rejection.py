"""Drawing again, with a bound, until a draw is acceptable."""

from collections.abc import Callable
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
