"""What scenarios share: a count of faults, children to be killed, and how to find what is left."""

import os
import subprocess
import sys
import time
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

TESTS = Path(__file__).parents[1]
MARK = "RLVE_FAULTS"  # an environment variable, by which all that a scenario starts is known
PATIENCE = 300.0  # seconds; a busy machine takes its time


class Scene(NamedTuple):
    """Where a scenario plays."""

    rng: Random
    place: Path  # an empty folder
    tried: Counter[str]  # faults, by what they are


Scenario = Callable[[Scene], None]


class Child:
    """A Python module of the tests in a process of its own, to be killed."""

    def __init__(self, module: str, *words: str, log: Path, before: Sequence[str] = ()) -> None:
        self.mark = uuid.uuid4().hex
        self.log = log
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [*before, sys.executable, "-m", module, *words],
                cwd=TESTS,
                env=os.environ | {MARK: self.mark, "PYTHONUNBUFFERED": "1"},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    @property
    def running(self) -> bool:
        return self.process.poll() is None

    def send(self, number: int) -> None:
        if self.running:
            self.process.send_signal(number)

    def wait(self) -> int:
        """Its exit status, when it and all it has started are gone."""
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError(f"a process does not end:\n{self.said()}") from None
        wait_until(lambda: not marked(self.mark), f"processes outlived it:\n{self.said()}")
        return status

    def said(self) -> str:
        return self.log.read_text(errors="replace")[-4000:]


def marked(mark: str) -> list[int]:
    """The processes that a scenario has started, directly or not."""
    wanted = f"{MARK}={mark}".encode()
    found: list[int] = []
    for name in os.listdir("/proc"):
        try:
            if name.isdecimal() and wanted in Path("/proc", name, "environ").read_bytes():
                found.append(int(name))
        except OSError:  # it is gone, or another user's
            continue
    return found


def wait_until(true: Callable[[], Any], complaint: str) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, complaint
        time.sleep(0.01)


def jump_clock(seed: int) -> None:
    """From now on the clock on the wall jumps by days, to and fro, at every look."""
    rng, right = Random(seed), time.time
    time.time = lambda: right() + rng.uniform(-1e6, 1e6)
