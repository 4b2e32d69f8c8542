"""Output that survives a closed terminal.

The kernel sends SIGHUP to the shell, and the shell passes it on to its jobs, but not to those that
were disowned. Writes fail from the moment the terminal is closed, even before the signal arrives.
"""

import errno
import os
import stat
import sys
from collections.abc import Generator
from contextlib import contextmanager
from io import FileIO, TextIOWrapper
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


@contextmanager
def survive_hangup() -> Generator[None]:
    """Discard what is written to stdout and stderr once their terminal is closed.

    The program continues unless SIGHUP stops it.
    """
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = after = tuple(map(_patient, before))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
        for stream in {*after} - {*before}:
            stream.flush()


def leave(terminal: int) -> None:
    """Redirect the descriptor of a closed terminal to /dev/null."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, terminal)
    os.close(nowhere)


def _patient(stream: TextIO) -> TextIO:
    """The stream, or an equivalent one if it is a terminal, which may be closed."""
    own = [each for each in (sys.__stdout__, sys.__stderr__) if each is not None]
    if stream not in own or not _may_hang_up(stream):
        return stream
    stream.flush()
    return TextIOWrapper(
        _Terminal(stream.fileno(), "w", closefd=False),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=bool(stream.line_buffering),
        write_through=stream is sys.__stderr__,
    )


def _may_hang_up(stream: TextIO) -> bool:
    """Whether it is a device. isatty() would be false for a terminal that is already closed."""
    return stat.S_ISCHR(os.fstat(stream.fileno()).st_mode)


class _Terminal(FileIO):
    """Writes at once, without the lock of BufferedWriter: a signal handler may also write."""

    def write(self, data: "ReadableBuffer", /) -> int:
        rest = whole = memoryview(data).cast("B")
        while rest:
            rest = rest[self._write(rest) :]
        return len(whole)

    def _write(self, data: memoryview) -> int:
        try:
            return os.write(self.fileno(), data)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
        leave(self.fileno())
        return os.write(self.fileno(), data)
