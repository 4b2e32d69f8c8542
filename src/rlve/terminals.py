"""Terminals that are closed while a program still writes to them.

The kernel tells the shell, by SIGHUP, and the shell tells its programs; those that it has let go
are told nothing. What a program writes after that fails, also before it has heard of it.
"""

import errno
import os
import stat
import sys
from collections.abc import Generator
from contextlib import contextmanager
from io import BufferedIOBase, TextIOWrapper
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


@contextmanager
def outlived() -> Generator[None]:
    """Let what is written to stdout and stderr be lost when their terminal is gone.

    Whether the program then stops is for SIGHUP to say.
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
    """Let the descriptor of a terminal that is gone lead nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, terminal)
    os.close(nowhere)


def _patient(stream: TextIO) -> TextIO:
    """The stream, or one that does the same on a terminal that may be closed."""
    own = [each for each in (sys.__stdout__, sys.__stderr__) if each is not None]
    if stream not in own or not _may_hang_up(stream):
        return stream
    stream.flush()
    return TextIOWrapper(
        _Terminal(stream.fileno(), stream.name),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=bool(stream.line_buffering),
        write_through=stream is sys.__stderr__,
    )


def _may_hang_up(stream: TextIO) -> bool:
    """Whether it is a device: one that is gone already is no terminal any more to isatty()."""
    return stat.S_ISCHR(os.fstat(stream.fileno()).st_mode)


class _Terminal(BufferedIOBase):
    """Writes at once. BufferedWriter has a lock, and a signal's handler may write meanwhile."""

    def __init__(self, descriptor: int, name: str) -> None:
        self._descriptor = descriptor
        self.name = name

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def writable(self) -> bool:
        return True

    def write(self, data: "ReadableBuffer", /) -> int:
        rest = whole = memoryview(data).cast("B")
        while rest:
            rest = rest[self._write(rest) :]
        return len(whole)

    def _write(self, data: memoryview) -> int:
        try:
            return os.write(self._descriptor, data)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
        leave(self._descriptor)
        return os.write(self._descriptor, data)
