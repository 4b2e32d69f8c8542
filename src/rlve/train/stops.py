"""When a run stops before its last step: on a signal, or when its time is up.

Either way it finishes the current step and saves a checkpoint. Before the first step there
is nothing to save, and a signal stops it at once.
"""

import signal
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType
from typing import Final, Literal, TypeAlias

from rlve.foundation.terminals import leave

STOPPING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""From Ctrl-C; from a cluster before it kills a job; from a terminal that is closed."""


@contextmanager
def interrupts(
    on_stop: Callable[[], None] | None = None, *, at_once: Callable[[], bool] = lambda: False
) -> Generator[Callable[[], bool]]:
    """Yield a function that tells whether the process should stop. A second Ctrl-C interrupts.

    So does the first signal while `at_once` says that there is nothing to save.

    If SIGHUP is ignored, it stays ignored: that is what nohup is for.
    """
    told: list[int] = []
    streams = (sys.__stdout__, sys.__stderr__)
    terminals = [stream.fileno() for stream in streams if stream and stream.isatty()]

    def tell(number: int, frame: FrameType | None) -> None:
        told.append(number)
        if number == signal.SIGHUP:
            for terminal in terminals:
                leave(terminal)
        if told.count(signal.SIGINT) > 1 or at_once():
            raise KeyboardInterrupt
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


Phase: TypeAlias = Literal["step", "measurement", "checkpoint"]


class TimeLimit:
    """Whether one more step or measurement fits into a run's hours; None means no limit."""

    def __init__(self, hours: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._end = None if hours is None else clock() + 3600 * hours
        self._longest: dict[Phase, float] = {}

    @contextmanager
    def __call__(self, phase: Phase) -> Generator[None]:
        """Take the time of a phase."""
        begin = self._clock()
        yield
        self.expect(phase, self._clock() - begin)

    def expect(self, phase: Phase, seconds: float) -> None:
        """Expect a phase to take at least so long."""
        self._longest[phase] = max(seconds, self._longest.get(phase, 0.0))

    def over(self, *phases: Phase) -> bool:
        """Whether these phases, each as long as the longest so far, would end too late."""
        needed = sum(self._longest.get(phase, 0.0) for phase in phases)
        return self._end is not None and self._clock() + needed > self._end
