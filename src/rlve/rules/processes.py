"""Processes that run an environment's code on behalf of another process.

An environment under check may loop forever, use up all memory or end its process. So the process
that runs it watches its own clock: when a step passes the deadline, a thread outside the
interpreter writes down where the step is and ends the process. The parent sees it die and carries
on.
"""

import atexit
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec

from rlve.errors import UserError, is_ours
from rlve.rules.messages import CheckRequest, Event, Made, Make, Ready

DEADLINE = 10.0

# -P keeps the current directory out of the path until the parent's path is set.
_PROGRAM = """
import json, sys
settings = json.loads(sys.argv[1])
sys.path[:] = settings.pop("path")
from rlve.rules.child import main
main(**settings)
"""

_FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+) in (?P<name>.+)')


class Died(Exception):
    """The process ended before it answered; the text says how."""


class CheckingProcess:
    """A process that answers requests one after the other."""

    def __init__(self, *, deadline: float = DEADLINE, hash_seed: str | None = None) -> None:
        self.deadline = deadline
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  lives as long as the process
        path = [os.path.abspath(place) for place in sys.path]
        settings = {"path": path, "deadline": deadline}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _PROGRAM, json.dumps(settings)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=os.environ | ({} if hash_seed is None else {"PYTHONHASHSEED": hash_seed}),
        )
        self._decoder: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)
        self._ready = False

    def ask(self, request: CheckRequest) -> Iterator[Event]:
        """The events that answer a request; the caller knows which one is the last."""
        self._send(request)
        for line in self._process.stdout or ():
            event = self._decoder.decode(line)
            if isinstance(event, Ready):
                self._ready = True
            else:
                yield event
        if not self._ready:
            raise UserError(f"the checking process cannot start: {self._ending()}")
        raise Died(self._last_words())

    def kill(self) -> None:
        """End the process, whatever it is doing; a caller reading its answers sees it die."""
        self._process.kill()

    def close(self) -> None:
        """End the process and forget it."""
        self.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._log):
            with contextlib.suppress(BrokenPipeError):  # nobody needs what is still unread
                if pipe is not None:
                    pipe.close()

    def _send(self, request: CheckRequest) -> None:
        if self._process.stdin is None:
            raise RuntimeError("the process was started without a pipe")
        with contextlib.suppress(BrokenPipeError):  # reading from it notices its death as well
            self._process.stdin.write(msgspec.json.encode(request) + b"\n")
            self._process.stdin.flush()

    def _last_words(self) -> str:
        _, marker, trace = self._printed().rpartition("Timeout (")
        if marker:
            return f"did not end within {self.deadline:g} s{_where(trace)}"
        return f"ended its process ({self._ending()})"

    def _ending(self) -> str:
        code = self._process.wait()
        last = self._printed().strip().splitlines()[-1:] or ["nothing was printed"]
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        return f"{how}; {last[0][:200]}"

    def _printed(self) -> str:
        """What it has written to standard error until its end."""
        self._process.wait()
        self._log.seek(0)
        return self._log.read().decode(errors="replace")


def _where(trace: str) -> str:
    """Where in the environment's code the innermost call was."""
    for frame in _FRAME.finditer(trace):
        if is_ours(frame["file"]):
            return f", at {Path(frame['file']).name} line {frame['line']} in {frame['name']}"
    return ""


class Elsewhere:
    """Makes problems in another process with another hash seed; replaced when it dies."""

    def __init__(self) -> None:
        self._process: CheckingProcess | None = None
        self._lock = threading.Lock()

    def make(self, target: str, difficulty: int, seed: int, *, deadline: float) -> Made:
        """The fingerprint of the problem made there; raises Died if that kills the process."""
        with self._lock:
            if self._process is None:
                here = os.environ.get("PYTHONHASHSEED")
                self._process = CheckingProcess(
                    deadline=deadline, hash_seed="2" if here == "1" else "1"
                )
            try:
                for event in self._process.ask(Make(target, difficulty, seed)):
                    if isinstance(event, Made):
                        return event
            except (Died, UserError):
                self.close()
                raise
        raise RuntimeError("the events of a process ended without an exception")

    def close(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = None


@cache
def elsewhere() -> Elsewhere:
    """The other process that this process asks for problems."""
    other = Elsewhere()
    atexit.register(other.close)
    return other
