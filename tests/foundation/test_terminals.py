"""A program whose terminal is closed goes on, and hears of it by SIGHUP or not at all."""

import os
import pty
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager

import pytest


@contextmanager
def on_a_terminal(*words: str) -> Generator[tuple[int, "subprocess.Popen[bytes]"]]:
    """A process on a terminal, of which we have the other end; it is not told when that closes."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,  # to which this terminal does not belong: nobody sends SIGHUP
    ) as process:
        os.close(theirs)
        yield ours, process


def read_until(terminal: int, word: bytes) -> None:
    said = b""
    while word not in said:
        said += os.read(terminal, 1000)


TALKER = """
import select
import sys
from rlve.foundation.terminals import survive_hangup
with survive_hangup():
    assert sys.stdout.isatty() and sys.stderr.isatty()
    sys.stdout.write("half a line, ")
    print("ready", flush=True)
    gone = select.poll()
    gone.register(0, 0)  # for its hang-up alone
    gone.poll()
    for stream in (sys.stdout, sys.stderr):
        for number in range(1000):
            print("still here", number, file=stream)
        assert not stream.isatty()
    print("the end", end="")
print("after the end")
"""


def test_what_is_written_to_a_terminal_that_is_gone_is_lost_and_no_error():
    with on_a_terminal("-c", TALKER) as (terminal, process):
        read_until(terminal, b"half a line, ready\r\n")
        os.close(terminal)
        assert process.wait() == 0


@pytest.mark.parametrize(("words", "status"), [(["list"], 0), (["show", "nothing"], 2)])
def test_a_command_ends_as_usual_on_a_terminal_that_is_gone(words: list[str], status: int):
    with on_a_terminal("-m", "rlve", *words) as (terminal, process):
        os.close(terminal)
        assert process.wait() == status


HANDLER = """
import os
import signal
import sys
from rlve.foundation.terminals import survive_hangup
signal.signal(signal.SIGALRM, lambda *_: print("from the handler"))
with survive_hangup():
    write = os.write
    def interrupted(*arguments):
        os.write = write
        signal.raise_signal(signal.SIGALRM)
        return write(*arguments)
    os.write = interrupted
    print("from the program")
"""


def test_a_handler_may_write_while_the_program_writes():
    with on_a_terminal("-c", HANDLER) as (terminal, process):
        read_until(terminal, b"from the program\r\n")
        assert process.wait() == 0
        os.close(terminal)


def test_streams_that_are_no_terminals_stay_as_they_are():
    from rlve.foundation.terminals import survive_hangup

    before = sys.stdout, sys.stderr
    with survive_hangup():
        assert (sys.stdout, sys.stderr) == before
    assert (sys.stdout, sys.stderr) == before
