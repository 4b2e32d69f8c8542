"""Runs commands of rlve, as anybody could type them, keeps what they print, and can stop them."""

import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
"""Where commands find what a plan names, such as experiments.permuted, wherever they are called."""


class Stopped(Exception):
    """Somebody wants us to stop, or the time is up; nothing is lost."""


class Paused(Stopped):
    """We wanted it to save what it has; it can go on at once."""


class Commands:
    """The commands that are running, and a folder for what they print."""

    def __init__(self, logs: Path) -> None:
        self.logs = logs
        self.stopping = False
        self._live: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.RLock()

    def heed_signals(self) -> None:
        """Let Ctrl-C and SIGTERM stop all commands."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self.stop)

    def stop(self, *_: object) -> None:
        """Ask all commands to save what they have, and end; asked twice, they end at once."""
        with self._lock:
            self.stopping = True
            for process in [*self._live]:
                process.send_signal(signal.SIGINT)

    def call(
        self, words: Sequence[str], name: str, watch: Callable[[], bool] = lambda: False
    ) -> str:
        """Run a command of rlve; what it printed, which is also in a log.

        watch   is asked again and again whether the command shall save what it has, and end
        """
        log = self.logs / f"{name.replace('/', '-')}.txt"
        log.parent.mkdir(parents=True, exist_ok=True)
        print(f"{name}: rlve {words[0]}", flush=True)
        paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        with log.open("w+b") as file:
            with self._lock:  # a signal comes before, or finds the process
                if self.stopping:
                    raise Stopped(name)
                process = subprocess.Popen(  # in its own session: Ctrl-C comes from us, once
                    [sys.executable, "-m", "rlve", *words],
                    stdout=file,
                    stderr=file,
                    start_new_session=True,
                    env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
                )
                self._live.add(process)
            paused = False
            while (code := process.poll()) is None:
                if not paused and watch():
                    paused = True
                    process.send_signal(signal.SIGINT)
                time.sleep(0.2)
            self._live.discard(process)
        said = log.read_text(errors="replace")
        if code and paused and not self.stopping:
            raise Paused(name)
        if code == 130 or (code and self.stopping):
            raise Stopped(name)
        if code:
            text = f"{name} failed: rlve {shlex.join(words)}\n{said[-2000:]}"
            raise subprocess.CalledProcessError(code, words, stderr=text)
        return said


def safely(job: Callable[[], None]) -> int:
    """Do it; the exit code."""
    try:
        job()
    except Stopped:
        return 130
    except subprocess.CalledProcessError as error:
        print(error.stderr, file=sys.stderr, flush=True)
        return 1
    return 0
