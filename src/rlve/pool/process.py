"""A worker process as the dispatcher sees it, and how to start one."""

import contextlib
import itertools
import json
import mmap
import os
import pickle  # noqa: TID251  both ends of the sockets are this program
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from time import monotonic, sleep
from typing import Any, Final

from rlve.errors import is_ours
from rlve.pool import worker
from rlve.pool.pending import Batch, Pending


class WorkerBatch(Batch):
    """Items given to one worker together."""

    def __init__(self, pending: Pending[Any], indices: list[int], *, alone: bool = False) -> None:
        super().__init__(pending, indices)
        self.alone = alone  # a suspect, for a worker that has done nothing else
        self.done = 0  # how many have come back

    def message(self) -> bytes:
        """One pickle for all, so that a problem shared by several outputs travels once."""
        contents = [task.content for task in self.tasks]
        message = self.pending.operation, self.pending.options, contents
        return worker.framed(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))


@dataclass(eq=False)
class Worker:
    """A worker process as the dispatcher sees it."""

    name: str  # identifies the processes it has started
    slot: int
    process: "subprocess.Popen[bytes]"
    socket: socket.socket
    lifeline: int
    notes: int  # a file: the step that its item is at, and where it is in the code
    ready: bool = False
    exhausted: bool = False  # it has run out of memory
    step: str = ""  # what its item was at when it was killed
    where: str = ""  # and where in the code
    run: WorkerBatch | None = None
    since: float = field(default_factory=monotonic)  # when it was started, or last given a run
    inbox: bytearray = field(default_factory=bytearray)
    outbox: "memoryview[int]" = field(default_factory=lambda: memoryview(b""))

    @property
    def idle(self) -> bool:
        return self.ready and self.run is None and not self.exhausted

    def read(self) -> bool:
        """Read what has arrived; False if the worker will send nothing more."""
        try:
            while part := self.socket.recv(1 << 20):
                self.inbox += part
        except BlockingIOError:
            return True
        except ConnectionError:
            pass
        return False

    def messages(self) -> Iterator[bytes]:
        """The messages that have arrived completely."""
        while len(self.inbox) >= worker.HEADER:
            end = worker.HEADER + int.from_bytes(self.inbox[: worker.HEADER], "big")
            if len(self.inbox) < end:
                return
            message = bytes(self.inbox[worker.HEADER : end])
            del self.inbox[:end]
            yield message

    def write(self) -> None:
        """Send as much of the outbox as the socket accepts."""
        try:
            while self.outbox:
                self.outbox = self.outbox[self.socket.send(self.outbox) :]
        except BlockingIOError:
            pass
        except ConnectionError:  # reading from the socket notices it as well
            self.outbox = memoryview(b"")

    def kill(self) -> None:
        """End the worker, and whatever it has started in its own session."""
        with contextlib.suppress(ProcessLookupError, PermissionError):  # it is already dead
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.step, self.where = self._last_words()

    def ask_where(self) -> None:
        """Have it note where it is in the code and end, unless it is stopped."""
        os.kill(self.process.pid, signal.SIGUSR1)
        until = monotonic() + ASKING_SECONDS
        while _OUTERMOST not in self._noted() and monotonic() < until:
            sleep(0.002)

    def _last_words(self) -> tuple[str, str]:
        """The step its item was at, and where it was in the code, as far as it noted them."""
        step, _, trace = self._noted().partition(_TRACE)
        for frame in _FRAME.finditer(trace):
            if is_ours(frame["file"]):
                name = os.path.basename(frame["file"])
                return step.strip(), f", at {name} line {frame['line']} in {frame['name']}"
        return step.strip(), ""

    def _noted(self) -> str:
        return os.pread(self.notes, 1 << 20, 0).decode(errors="replace")

    def close(self) -> None:
        self.socket.close()
        os.close(self.lifeline)
        os.close(self.notes)

    def epitaph(self) -> str:
        status = self.process.returncode
        if status < 0:
            return f"its process was ended by signal {-status} ({signal.strsignal(-status)})"
        return f"its process ended with status {status}"


class Board:
    """A page of memory where every worker notes its current item and when it started it."""

    def __init__(self, workers: int) -> None:
        self.file = _shared_file()
        os.ftruncate(self.file, 2 * 8 * workers)
        self._notes = memoryview(mmap.mmap(self.file, 0)).cast("d")

    def read(self, slot: int) -> tuple[int, float]:
        """How many items of its run a worker has started, and when it started the last one."""
        begun, began = self._notes[2 * slot : 2 * slot + 2]
        return int(begun), began

    def clear(self, slot: int) -> None:
        """Note that no item has been started."""
        self._notes[2 * slot] = 0

    def close(self) -> None:
        os.close(self.file)


# -P keeps the current directory out of the worker's path until the parent's path is set.
_PROGRAM: Final = """
import json, sys
settings = json.loads(sys.argv[1])
sys.path[:] = settings.pop("path")
from rlve.pool.worker import main
main(**settings)
"""

# Threads inside workers would compete for the cores that the workers share.
_ONE_THREAD: Final = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}


STARTING_SECONDS: Final = 5.0  # for a process to get its environment, on a machine that is busy
_BEGAN: Final = 17  # among the fields of /proc/PID/stat after the parent
_KERNEL: Final = b"2"  # the parent of its threads

ASKING_SECONDS: Final = 0.2  # for a worker to note where it is

# How faulthandler writes down where a thread is: the innermost call first.
_TRACE: Final = "Stack (most recent call first):"
_FRAME: Final = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+) in (?P<name>.+)')
_OUTERMOST: Final = 'File "<string>"'

NAME: Final = "RLVE_WORKER"  # an environment variable that a worker's children inherit


def start(
    pool: str, slot: int, board: "Board", memory: int | None, variables: Mapping[str, str]
) -> Worker:
    """Start a worker for the pool with that name; it will say when it is ready."""
    name = f"{pool}.{next(_numbers)}."
    ours, theirs = socket.socketpair()
    listening, lifeline = os.pipe()
    notes = _shared_file()
    try:
        settings = {
            "socket": theirs.fileno(),
            "lifeline": listening,
            "board": board.file,
            "slot": slot,
            "notes": notes,
            "memory": memory,
            "script": _script(),
            "argv": sys.argv,
            "path": [os.path.abspath(place) for place in sys.path],
        }
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _PROGRAM, json.dumps(settings)],
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno(), listening, board.file, notes],
            env={**os.environ, **_ONE_THREAD, **variables, NAME: name},
            start_new_session=True,  # Ctrl-C is for the parent, and one signal ends the whole group
        )
    except BaseException:
        ours.close()
        os.close(lifeline)
        os.close(notes)
        raise
    finally:
        theirs.close()
        os.close(listening)
    ours.setblocking(False)
    return Worker(name, slot, process, ours, lifeline, notes)


def end_strays(name: str) -> None:
    """Kill processes that a worker, or a whole pool, started in sessions of their own.

    They have left the worker's process group, so this needs /proc to find them. The jail of
    rlve.sandbox does not carry the name; it ends on its own.
    """
    if sys.platform != "linux":
        return
    mark = f"{NAME}={name}".encode()
    for _ in range(50):  # one may start another during the search
        pids = [int(name) for name in os.listdir("/proc") if name.isdecimal()]
        found = {pid: _carries(pid, mark) for pid in pids}
        if not any(carries is not False for carries in found.values()):
            return
        for pid, carries in found.items():
            if carries:
                with contextlib.suppress(ProcessLookupError, PermissionError):  # gone; set-user-ID
                    os.kill(pid, signal.SIGKILL)
        sleep(0.01)


def _carries(pid: int, mark: bytes) -> bool | None:
    """Whether a process has the mark in its environment; None if that cannot be said yet.

    A process that has just begun shows none while the kernel gives it its own. Threads of the
    kernel and dead processes never have one.
    """
    from time import CLOCK_BOOTTIME, clock_gettime  # not on macOS

    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            if environment := file.read():
                return any(each.startswith(mark) for each in environment.split(b"\0"))
        with open(f"/proc/{pid}/stat", "rb") as file:
            state, parent, *others = file.read().rpartition(b")")[2].split()
    except OSError:  # it is gone, or another user's
        return False
    began = int(others[_BEGAN]) / os.sysconf("SC_CLK_TCK")
    young = clock_gettime(CLOCK_BOOTTIME) - began < STARTING_SECONDS
    return None if young and state not in b"ZX" and parent != _KERNEL else False


_numbers = itertools.count()


def _script() -> list[str] | None:
    """What the main module was started from, for workers that need one of its classes."""
    main = sys.modules["__main__"]
    spec = getattr(main, "__spec__", None)
    if spec is not None:
        return ["module", spec.name]
    file = getattr(main, "__file__", None)
    return None if file is None else ["path", os.path.abspath(file)]


def _shared_file() -> int:
    """A file in memory, shared with the processes that inherit it; what is written is appended."""
    import fcntl  # not on Windows, where there are no pools

    if sys.platform == "linux":
        file = os.memfd_create("rlve-pool")
    else:
        with tempfile.TemporaryFile() as temporary:
            file = os.dup(temporary.fileno())
    fcntl.fcntl(file, fcntl.F_SETFL, os.O_APPEND)
    return file
