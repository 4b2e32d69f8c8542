"""Output files that are complete or not there at all."""

import contextlib
import os
import sys
from collections.abc import Generator
from pathlib import Path
from typing import BinaryIO

from rlve.errors import UserError

STDOUT = Path("-")


@contextlib.contextmanager
def replacing(path: Path) -> Generator[BinaryIO]:
    """A file that takes the path's place when the block ends well; else the path is untouched.

    "-" is stdout. It and other things that are no regular files, such as pipes, are written to
    directly.
    """
    if path == STDOUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(os.path.realpath(path))  # a link stays a link
    if target.exists() and not target.is_file() and not target.is_dir():
        with _opened(path, target, 0) as file:
            yield file
        return
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    file = _opened(path, part, os.O_CREAT | os.O_EXCL)
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _opened(path: Path, place: Path, flags: int) -> BinaryIO:
    if path.is_dir():
        raise UserError(f"cannot write to {path}: it is a folder")
    try:
        return os.fdopen(os.open(place, os.O_WRONLY | flags, 0o666), "wb")
    except OSError as error:
        raise UserError(f"cannot write to {path}: {error.strerror}") from error
