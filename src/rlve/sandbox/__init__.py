"""Running untrusted Python programs, such as those written by a model.

    with Sandbox() as sandbox:
        outcome = sandbox.run("print(int(input()) + 1)", "41", Limits(seconds=6))
        outcome.ended, outcome.output                       "well", "42\\n"

A program runs in its own process, which can compute, read its standard input, write its standard
output and error, read Python's own modules, and write a few files to an empty temporary folder that
is removed afterwards. These layers, all of them required, contain it:

    seccomp           a short list of system calls: no network of any kind, no other processes (so
                      no fork bombs and no daemons), no signals or ptrace, no change of modes
    Landlock          reading and writing only in the places named above: neither the user's files
                      nor /proc
    capabilities      all dropped, so that root has no special rights
    resource limits   processor time, memory, size of files and of the output, open files; a
                      supervisor limits the numbers of threads and new files
    a clock           the whole program is killed when its time is up

If the kernel allows it, a program also gets its own file tree, which contains nothing else.
Otherwise it can find out whether a path exists. Sandbox.visible says which is the case.

This needs Linux 5.13 or later with Landlock, on x86_64 or arm64. It works for any user, in or out
of a container, and needs no other program or package. If a layer is not available, a UserError says
which, and nothing is run. rlve.sandbox.jail is the other side, and says how it works.

A program cannot influence its verdict except by its output, which is compared here. It never sees
what is expected of it.
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
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Literal, Self

import msgspec

from rlve.errors import UserError

WAITING: Final = 5  # wall-clock seconds allowed per second of processor time
GRACE: Final = 60.0  # seconds beyond a run's own limit before its supervisor counts as lost
ERRORS: Final = 10_000  # characters of standard error to keep
SEALS: Final = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK

Ending = Literal["well", "error", "time", "output", "signal"]
"""How a run ended: an error is an uncaught exception, or os._exit with a status other than 0.

sys.exit ends a program well, whatever the status.
"""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What one run may use."""

    seconds: float = 6.0  # of processor time, rounded up to a whole number
    wall: float | None = None  # wall-clock seconds; by default WAITING times as many
    memory: int = 2 * 2**30  # bytes of address space, some 50 MB of which are Python
    output: int = 16 * 2**20  # bytes of output, of errors, and of any file


class Outcome(msgspec.Struct, frozen=True):
    """The outcome of a run."""

    ended: Ending
    output: str
    errors: str  # the last part of its standard error
    seconds: float  # of processor time


class SandboxError(RuntimeError):
    """The sandbox itself failed, not the program."""


class Sandbox:
    """A process that runs programs one at a time; starting it tests its walls.

    It ends with close(), with its owner, when it is garbage-collected, or when an exception, such
    as KeyboardInterrupt, interrupts a run. Threads that share it wait for each other; a fork of the
    owner needs its own. `readable` names folders that programs may read besides Python's, and
    `hash_seed` seeds the order of their sets. `landlock` is the newest version of Landlock to use,
    and `hiding` whether to hide other paths, for testing what holds on older kernels and without
    namespaces.
    """

    visible: str | None
    """Why programs can see which paths exist outside; None if they cannot."""

    def __init__(
        self,
        *,
        readable: Sequence[Path] = (),
        hash_seed: int = 0,
        landlock: int = 1000,
        hiding: bool = True,
    ) -> None:
        if sys.platform != "linux":
            raise UserError("running untrusted programs needs Linux, for seccomp and Landlock")
        self._lock = threading.Lock()
        self._owner = os.getpid()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, *_FLAGS, str(_JAIL)),
                    *(str(theirs.fileno()), str(landlock), "hide" if hiding else "show"),
                    *(str(folder.resolve()) for folder in readable),
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                cwd="/",
                # With a fixed order of string sets, a program is judged the same every time.
                env={"PYTHONHASHSEED": str(hash_seed)} | _library_path(),
                # If our process group is killed, it still has time to clean up. It ends when our
                # end of the socket is closed, whatever happens to us.
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
        """Run a program until it ends or reaches a limit."""
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
        # Files in memory rather than pipes: nobody has to pump, and the kernel limits their size.
        with contextlib.ExitStack() as stack:
            files = [_file(program), _file(stdin), _file(None), _file(None)]
            for file in files:
                stack.callback(os.close, file)
            with self._lock:
                reply = self._ask(request, files, wall + GRACE)
            output, errors = (_read(file, limits.output) for file in files[2:])
        if "failure" in reply:
            raise SandboxError(f"{_CANNOT}; {_NEEDS}, but this failed: {reply['failure']}")
        self.visible = reply["visible"]
        return Outcome(
            _ending(reply, limits, len(output)),
            output.decode("utf-8", "replace"),
            errors[-ERRORS:].decode("utf-8", "replace"),
            reply["seconds"],
        )

    def close(self) -> None:
        """End the process and the program it is running."""
        self._finalizer()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _ask(self, request: dict[str, Any], files: list[int], patience: float) -> dict[str, Any]:
        try:
            self._socket.settimeout(patience)
            socket.send_fds(self._socket, [json.dumps(request).encode()], files)
            reply = self._socket.recv(65536)
        except BaseException as error:  # also what a signal handler raises
            self.close()  # a late answer must not be taken for the next run's
            if isinstance(error, OSError):  # it is closed, or takes too long
                raise SandboxError(f"the sandbox process does not answer: {error}") from error
            raise
        if not reply:
            self.close()
            raise SandboxError("the sandbox process has ended")
        return json.loads(reply)

    def _test(self) -> None:
        """Run a program that tests the walls; all of them must hold."""
        try:
            with tempfile.NamedTemporaryFile(prefix="rlve-sandbox-test-") as file:
                program = _TEST.format(outside=file.name, looking=_LOOKING)
                outcome = self.run(program, limits=Limits(wall=60))
        except SandboxError as error:
            raise UserError(str(error)) from None
        if outcome.output.strip() != "contained" + (_LOOKING if self.visible else ""):
            if outcome.ended == "well":
                found = f"was not contained: {outcome.output.strip()}"
            else:
                found = f"did not run ({outcome.ended}): {outcome.errors.strip()[-200:]}"
            raise UserError(f"{_CANNOT}: a test program {found}")


_JAIL: Final = Path(__file__).with_name("jail.py")
# No modules from the current folder or the user's own, no files written, UTF-8 throughout.
_FLAGS: Final = ("-P", "-s", "-B", "-X", "utf8")

_CANNOT: Final = "untrusted programs cannot be contained on this machine, so none was run"

_NEEDS: Final = (
    "the sandbox needs Linux 5.13 or later with Landlock and seccomp, on x86_64 or arm64"
)
_LOOKING: Final = ", but it can see which paths exist outside"

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
    "a folder outside can be listed": lambda: os.listdir("/"),
    "a file that is only read can be emptied": lambda: os.open("inside", os.O_RDONLY | os.O_TRUNC),
}}.items() if works(what)]
def write():
    with open("inside", "w") as file:
        file.write("contained")
thread = threading.Thread(target=write)
thread.start()
thread.join()
found = open("inside").read()
if works(lambda: os.stat({outside!r})):
    found += "{looking}"
print("; ".join(faults) or found)
"""


def _library_path() -> dict[str, str]:
    """Some installations of Python need it to start; programs do not see it."""
    return {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}


def _end(ours: socket.socket, process: "subprocess.Popen[bytes]", owner: int) -> None:
    ours.close()  # tells it to end
    if os.getpid() == owner:
        try:
            process.wait(GRACE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _file(content: str | None) -> int:
    """A file in memory: with content that can no longer be changed, or empty."""
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
    # The kernel kills by a coarse clock and reports by a fine one, which may show less time.
    spent = status == -signal.SIGKILL and reply["seconds"] >= limits.seconds / 2
    if reply["late"] or spent:
        return "time"
    if written >= limits.output:
        return "output"
    return "well" if status == 0 else "error" if status > 0 else "signal"
