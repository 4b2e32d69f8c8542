"""When a run stops before its last step: it is told to, or its time is over.

Either way the step at hand is finished, and a checkpoint made.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Final, TextIO

STOPPING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Ctrl-C; what a cluster sends before it kills; what a terminal sends when it is closed."""


@contextmanager
def interrupts(on_stop: Callable[[], None] | None = None) -> Generator[Callable[[], bool]]:
    """Says whether the process was told to stop. A second Ctrl-C interrupts as usual.

    SIGHUP stays ignored where it is: that is what nohup is for.
    """
    told: list[int] = []
    terminals = [each for each in (sys.__stdout__, sys.__stderr__) if each and each.isatty()]

    def tell(number: int, frame: FrameType | None) -> None:
        told.append(number)
        if told.count(signal.SIGINT) > 1:
            raise KeyboardInterrupt
        if number == signal.SIGHUP:
            _leave(terminals)
        if len(told) == 1 and on_stop is not None:
            on_stop()

    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    usual = {
        number: signal.signal(number, tell)
        for number in STOPPING
        if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield lambda: bool(told)
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)


def _leave(terminals: Sequence[TextIO]) -> None:
    """Write nowhere: on a terminal that is gone, every word would be an error."""
    for stream in terminals:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


class TimeLimit:
    """Whether one more step fits into the hours that a run has; None is for ever."""

    def __init__(self, hours: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._end = None if hours is None else clock() + 3600 * hours
        self._last = clock()
        self._longest = 0.0

    def stepped(self) -> None:
        """A step is over, with all that came with it."""
        now = self._clock()
        self._longest = max(self._longest, now - self._last)
        self._last = now

    def over(self) -> bool:
        """Whether a step as long as the longest so far would end too late."""
        return self._end is not None and self._clock() + self._longest > self._end
