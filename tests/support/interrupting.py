"""Interrupting a run in a sandbox, as a signal handler for a time limit does."""

import contextlib
import signal
import threading
import time
from collections.abc import Generator

import psutil

from rlve.sandbox import Sandbox


class Interrupted(Exception):
    """What the signal handler raises."""


@contextlib.contextmanager
def interrupting(sandbox: Sandbox) -> Generator[None]:
    """Raise Interrupted in the main thread once the sandbox runs a program."""

    def interrupt(*_: object) -> None:
        raise Interrupted

    def watch() -> None:
        end = time.monotonic() + 60
        while not supervisor.children() and time.monotonic() < end:
            time.sleep(0.01)
        # A signal to another thread would not wake the main thread from waiting.
        signal.pthread_kill(main, signal.SIGUSR1)

    main = threading.get_ident()
    supervisor = psutil.Process(sandbox._process.pid)  # pyright: ignore[reportPrivateUsage]
    previous = signal.signal(signal.SIGUSR1, interrupt)
    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield
    finally:
        watcher.join()
        signal.signal(signal.SIGUSR1, previous)
