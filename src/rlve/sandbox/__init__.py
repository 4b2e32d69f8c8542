"""Running untrusted Python programs, such as those a model writes.

    with Sandbox() as sandbox:
        outcome = sandbox.run("print(int(input()) + 1)", "41", Limits(seconds=6))
        outcome.ended, outcome.output                       "well", "42\\n"

A program runs in a process of its own that can compute, read its standard input, write its
standard output and error, read Python's own modules, and write a few files in an empty temporary
folder that is removed with it. What keeps it there, all of it required:

    seccomp           a short list of system calls: no network of any kind, no other processes (so
                      that no fork bomb, no daemon), no signals or ptrace, no change of modes
    Landlock          reading and writing only in the places named above: neither the files of
                      the user nor /proc
    capabilities      all dropped, so that root is no different from anybody else
    resource limits   processor time, memory, size of files and of the output, open files; the
                      numbers of threads and of new files are kept by a supervisor
    a clock           the program is killed, as a whole, when its time is over

That takes Linux 5.13 or later with Landlock, on x86_64 or arm64, as any user, in a container or
not; no other program and no package. Where a layer cannot be had, UserError says which, and
nothing is run. rlve.sandbox.jail is the other side, and says how.

Nothing a program does is a verdict. It never sees what is expected of it, and it has no channel
but its output, which is compared here.
"""

import contextlib
import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import weakref
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Literal, Self

import msgspec

from rlve.errors import UserError

WAITING: Final = 5  # a busy machine takes longer than the processor; a program that sleeps, too
GRACE: Final = 60.0  # seconds beyond a run's own limit until its supervisor is given up
ERRORS: Final = 10_000  # characters of standard error that are kept
SEALS: Final = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK

Ending = Literal["well", "error", "time", "output", "signal"]
"""How a run ended: an error is an exception nobody caught, or an exit status other than 0."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What one run may use."""

    seconds: float = 6.0  # of processor time, rounded up to a whole number
    wall: float | None = None  # seconds on the clock; by default WAITING times as many
    memory: int = 2 * 2**30  # bytes of address space, some 50 MB of which are Python
    output: int = 16 * 2**20  # bytes of output, of errors, and of any file


class Outcome(msgspec.Struct, frozen=True):
    """What a run came to."""

    ended: Ending
    output: str
    errors: str  # the end of what it wrote to standard error
    seconds: float  # of processor time


class SandboxError(RuntimeError):
    """The sandbox itself, not the program, has failed."""


class Sandbox:
    """A process that is ready to run programs, one at a time; starting it tests its walls.

    It ends with close(), with its owner, or when it is forgotten. Threads may share it, and wait
    for each other then; a fork of the owner needs one of its own. `landlock` is the newest version
    of Landlock that is made use of, to try what holds on an older kernel.
    """

    def __init__(self, *, landlock: int = 1000) -> None:
        if sys.platform != "linux":
            raise UserError("running untrusted programs needs Linux: its seccomp and its Landlock")
        self._lock = threading.Lock()
        self._owner = os.getpid()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, *_FLAGS, str(_JAIL), str(theirs.fileno()), str(landlock)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                cwd="/",
                env=_ENVIRONMENT | _library_path(),
                # Whoever kills our process group leaves it the time to clean up after itself. It
                # ends when our end of the socket is closed, whatever becomes of us.
                start_new_session=True,
            )
        self._socket = ours
        self._finalizer = weakref.finalize(self, _end, ours, self._process, self._owner)
        try:
            self._test()
        except BaseException:
            self.close()
            raise

    def run(self, program: str, stdin: str = "", limits: Limits | None = None) -> Outcome:
        """Run a program to its end, or to that of its limits."""
        limits = limits or Limits()
        wall = WAITING * limits.seconds if limits.wall is None else limits.wall
        request = {
            "seconds": limits.seconds,
            "wall": wall,
            "memory": limits.memory,
            "output": limits.output,
        }
        if os.getpid() != self._owner:
            raise UserError("the sandbox belongs to another process; make one in this process")
        # Files in memory, and not pipes: nobody has to pump, and the kernel keeps their bounds.
        with contextlib.ExitStack() as stack:
            files = [_file(program), _file(stdin), _file(None), _file(None)]
            for file in files:
                stack.callback(os.close, file)
            with self._lock:
                reply = self._ask(request, files, wall + GRACE)
            output, errors = (_read(file, limits.output) for file in files[2:])
        if "failure" in reply:
            raise SandboxError(_refusal(reply["failure"]))
        return Outcome(
            _ending(reply, limits, len(output)),
            output.decode("utf-8", "replace"),
            errors[-ERRORS:].decode("utf-8", "replace"),
            reply["seconds"],
        )

    def close(self) -> None:
        """End the process, and a program that it runs."""
        self._finalizer()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _ask(self, request: dict[str, Any], files: list[int], patience: float) -> dict[str, Any]:
        try:
            self._socket.settimeout(patience)
            socket.send_fds(self._socket, [json.dumps(request).encode()], files)
            reply = self._socket.recv(65536)
        except (OSError, KeyboardInterrupt) as error:  # also when it is closed, or takes too long
            self.close()  # a late answer must not be taken for that of the next run
            if isinstance(error, KeyboardInterrupt):
                raise
            raise SandboxError(f"the process of the sandbox does not answer: {error}") from error
        if not reply:
            self.close()
            raise SandboxError("the process of the sandbox has ended")
        return json.loads(reply)

    def _test(self) -> None:
        """Run a program that tries the walls; it must find all of them in place."""
        try:
            with tempfile.NamedTemporaryFile(prefix="rlve-sandbox-test-") as file:
                outcome = self.run(_TEST.format(outside=file.name), limits=Limits(wall=60))
        except SandboxError as error:
            raise UserError(str(error)) from None
        if outcome.output.split() != ["contained"]:
            if outcome.ended == "well":
                found = f"was not contained: {outcome.output.strip()}"
            else:
                found = f"did not run ({outcome.ended}): {outcome.errors.strip()[-200:]}"
            raise UserError(f"{_CANNOT}: a test program {found}")


_JAIL: Final = Path(__file__).with_name("jail.py")
# No module from the current folder or from the user's own, no files written, UTF-8 throughout.
_FLAGS: Final = ("-P", "-s", "-B", "-X", "utf8")
# Sets of strings have an order then, so that a program is judged alike every time.
_ENVIRONMENT: Final = {"PYTHONHASHSEED": "0"}

_CANNOT: Final = "untrusted programs cannot be contained on this machine, so none was run"

_TEST: Final = """
import os, socket, threading
def works(what):
    try:
        what()
    except OSError:
        return False
    return True
def fork():
    if os.fork() == 0:
        os._exit(0)
open("inside", "w").close()
faults = [name for name, what in {{
    "a socket can be made": socket.socket,
    "a process can be started": fork,
    "a file outside can be read": lambda: open({outside!r}).close(),
    "a file outside can be written": lambda: open({outside!r}, "w").close(),
    "another process can be signalled": lambda: os.kill(os.getppid(), 0),
    "/proc can be read": lambda: os.listdir("/proc"),
    "a file that is only read can be emptied": lambda: os.open("inside", os.O_RDONLY | os.O_TRUNC),
}}.items() if works(what)]
def write():
    with open("inside", "w") as file:
        file.write("contained")
thread = threading.Thread(target=write)
thread.start()
thread.join()
print("; ".join(faults) or open("inside").read())
"""


def _library_path() -> dict[str, str]:
    """Some installations of Python need it to start; a program does not get to see it."""
    return {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}


def _end(ours: socket.socket, process: "subprocess.Popen[bytes]", owner: int) -> None:
    ours.close()  # which tells it to end
    if os.getpid() == owner:
        try:
            process.wait(GRACE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _file(content: str | None) -> int:
    """A file in memory: with a content that cannot be changed any more, or empty."""
    file = os.memfd_create("rlve", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        if content is not None:
            rest = memoryview(content.encode("utf-8", "replace"))
            while rest:
                rest = rest[os.write(file, rest) :]
            os.lseek(file, 0, os.SEEK_SET)
            fcntl.fcntl(file, fcntl.F_ADD_SEALS, SEALS)
    except BaseException:
        os.close(file)
        raise
    return file


def _read(file: int, limit: int) -> bytes:
    size = min(os.fstat(file).st_size, limit)
    parts: list[bytes] = []
    while size and (part := os.pread(file, size, sum(map(len, parts)))):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _ending(reply: dict[str, Any], limits: Limits, written: int) -> Ending:
    status = reply["status"]
    # The kernel kills by a coarse clock, and reports by a fine one, by which it can be less.
    spent = status == -signal.SIGKILL and reply["seconds"] >= limits.seconds / 2
    if reply["late"] or spent:
        return "time"
    if written >= limits.output:
        return "output"
    return "well" if status == 0 else "error" if status > 0 else "signal"


def _refusal(failure: str) -> str:
    needs = "Linux 5.13 or later with Landlock and seccomp, on x86_64 or arm64"
    return f"{_CANNOT}; it needs {needs}, and this failed: {failure}"
