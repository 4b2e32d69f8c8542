"""Atomic files, and JSON lines that may still be growing."""

import contextlib
import dataclasses
import errno
import logging
import os
import re
import stat
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar, cast

import msgspec

from rlve.errors import UserError
from rlve.foundation.limits import STEPS

_log = logging.getLogger("rlve")

T = TypeVar("T")

STDOUT = STDIN = Path("-")
RECORD: Final = 2**28  # bytes of a file with one record, at most
LINE: Final = 2**26  # bytes of a line, at most
END: Final = 2**20  # bytes that are enough for a look at the end of a file
DEPTH: Final = 64  # lists and objects in each other, at most
LARGEST: Final = 1e100  # no number that was measured is larger, and sums of these are still numbers
FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # disk, quota or file-size limit reached


def check_file(path: Path, *, grows: bool = False) -> None:
    """Refuse to write to a path in a folder that holds anything but a file of that folder.

    The folder may come from somebody else. A link in it may lead to any file of the user, and a
    pipe waits for ever. A file that grows in place may have no second name; one that is replaced
    leaves the other name as it was.
    """
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return
    if stat.S_ISLNK(status.st_mode):
        raise UserError(f"{path} is a link; replace it with what it links to")
    if stat.S_ISDIR(status.st_mode):
        raise UserError(f"cannot write to {path}: it is a folder")
    if not stat.S_ISREG(status.st_mode):
        raise UserError(f"cannot write to {path}: it is a pipe or a device; remove it")
    if grows and status.st_nlink > 1:
        raise UserError(f"{path} has a second name (a hard link); replace it with a copy")


def open_grown(path: Path, flags: int) -> BinaryIO:
    """Open a file of a folder that is written to in place, after the same check."""
    check_file(path, grows=True)
    safe = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(path, flags | safe, 0o666)
    mode = {os.O_RDONLY: "rb", os.O_WRONLY: "wb", os.O_RDWR: "r+b"}[flags & os.O_ACCMODE]
    return cast(BinaryIO, os.fdopen(descriptor, mode, buffering=0))


def write_whole(path: Path, content: bytes) -> None:
    """Write or replace a file of a folder; a crash leaves an existing one as it was."""
    with _replacing_own(path) as file:
        file.write(content)


@contextlib.contextmanager
def replacing(path: Path) -> Generator[BinaryIO]:
    """A file that replaces a path of the user's choice if the block succeeds.

    Otherwise the path is untouched. "-" is stdout. Stdout, pipes and anything else that is not a
    regular file are written directly, and a link stays a link.
    """
    if path == STDOUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file() and not target.is_dir():
        with _open(path, target, 0) as file:
            yield file
        return
    with _replacing(path, target) as file:
        yield file


@contextlib.contextmanager
def _replacing_own(path: Path) -> Generator[BinaryIO]:
    """The same for a file of a folder, which is replaced only if it is one."""
    check_file(path)
    with _replacing(path, path) as file:
        yield file


@contextlib.contextmanager
def _replacing(path: Path, target: Path) -> Generator[BinaryIO]:
    number = int.from_bytes(os.urandom(8), "big")  # other threads may be replacing it, too
    part = target.with_name(f".{target.name}.{number}.part")
    file = _open(path, part, os.O_CREAT | os.O_EXCL)
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, target)
    except BaseException as error:
        part.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno in FULL and error.filename is None:
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def _open(path: Path, real: Path, flags: int) -> BinaryIO:
    if path.is_dir():
        raise UserError(f"cannot write to {path}: it is a folder")
    try:
        return os.fdopen(os.open(real, os.O_WRONLY | flags, 0o666), "wb")
    except OSError as error:
        if error.errno in FULL:
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise UserError(f"cannot write to {path}: {error.strerror}") from error


def to_disk(path: Path) -> None:
    """Wait until the system has written a file, or a folder's list of names, to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# Files that somebody else may have made.


def open_regular(path: Path) -> BufferedReader:
    """Open a file to read it; pipes and devices, which may never end, are refused."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        raise UserError(f"{path} cannot be read: it is not a regular file")
    return os.fdopen(descriptor, "rb")


def read_whole(path: Path, limit: int) -> bytes:
    """The contents of a regular file of at most so many bytes."""
    with open_regular(path) as file:
        large = os.fstat(file.fileno()).st_size > limit
        content = b"" if large else file.read(limit + 1)  # it may grow meanwhile
    if large or len(content) > limit:
        raise UserError(f"{path} cannot be read: it has more than {limit:,} bytes")
    return content


# One JSON record.


def pretty(record: Any) -> bytes:
    """A record as readable JSON, one field per line."""
    return msgspec.json.format(msgspec.json.encode(record, enc_hook=str)) + b"\n"


def read_record(path: Path, kind: type[T], *, missing: str) -> T:
    """The record in a JSON file; `missing` is the error if there is no such file."""
    try:
        content = read_whole(path, RECORD)
    except FileNotFoundError:
        raise UserError(missing) from None
    return _decode(content, msgspec.json.Decoder(kind, dec_hook=_path), str(path))


DAMAGE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What decoding raises for contents that are not what they should be."""


def _decode(content: bytes, decoder: msgspec.json.Decoder[T], where: str) -> T:
    try:
        record = decoder.decode(content)
    except DAMAGE as error:
        raise UserError(f"{where} is damaged: {error}") from error
    if _depth(record) > DEPTH:
        raise UserError(f"{where} is damaged: its values are nested more than {DEPTH} levels deep")
    return record


def _depth(record: Any) -> int:
    """How deep lists and objects of plain JSON are nested; counting ends above DEPTH."""
    depth, values = 0, [record]
    while values and depth <= DEPTH:
        values = [
            inner
            for value in values
            if isinstance(value, dict | list)
            for inner in cast(
                "Iterable[Any]",
                value.values() if isinstance(value, dict) else value,
            )
        ]
        depth += 1
    return depth


def settings_from(kind: type[T], values: Any, *, what: str, strict: bool = True) -> T:
    """A dataclass of settings from plain JSON; an unknown key is an error.

    Unless `strict`, a number may be given as text, as YAML gives 1e-6.
    """
    known = {field.name for field in dataclasses.fields(cast(Any, kind))}
    given = {*cast(dict[str, Any], values)} if isinstance(values, dict) else set[str]()
    if unknown := sorted(given - known):
        raise UserError(f"{what}: there is no setting {unknown[0]!r}")
    try:
        return msgspec.convert(values, kind, dec_hook=_path, strict=strict)
    except msgspec.ValidationError as error:
        raise UserError(f"{what}: {error}") from None


def _path(kind: type, value: object) -> object:
    """A decoding hook for paths, which msgspec does not know."""
    if kind is Path:
        return Path(str(value))
    raise NotImplementedError(f"records hold no {kind.__name__}")


def find_differences(left: Any, right: Any, prefix: str = "") -> list[str]:
    """The settings, such as data.window, in which two records of plain JSON differ."""
    if not (isinstance(left, dict) and isinstance(right, dict)):
        return [] if left == right else [prefix]
    a, b = cast(dict[str, Any], left), cast(dict[str, Any], right)
    return [
        setting
        for key in sorted({*a, *b})
        for setting in find_differences(
            a.get(key), b.get(key), f"{prefix}.{key}" if prefix else key
        )
    ]


# JSON lines: one record per line.


def line(record: Any) -> bytes:
    """A record as a line of JSON."""
    return msgspec.json.encode(record, enc_hook=str) + b"\n"


def append_line(path: Path, record: Any) -> None:
    """Add a record to a file of JSON lines; if the disk is full, the file stays as it was."""
    append_lines(path, [record])


def append_lines(path: Path, records: Iterable[Any]) -> None:
    """Add records to a file of JSON lines: all of them, or none if the disk is full."""
    with open_grown(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT) as file:
        before = file.seek(0, os.SEEK_END)
        rest = memoryview(b"".join(map(line, records)))
        try:
            while rest:
                rest = rest[file.write(rest) :]
        except OSError as error:
            file.truncate(before)  # half a line would run into the next
            raise OSError(error.errno, error.strerror, str(path)) from error


def write_lines(path: Path, records: Iterable[Any]) -> None:
    """Write or replace a file of JSON lines in a folder."""
    with _replacing_own(path) as file:
        file.writelines(map(line, records))


def read_measured(path: Path, kind: type[T]) -> list[T]:
    """The same for the measurements of steps, of which a damaged line costs that line alone."""
    records: list[T] = []
    for record in _records(path, kind):
        trouble = record if isinstance(record, UserError) else None
        if trouble is None and not measurable(record, *records[:1]):
            trouble = UserError(f"{path} has a line that no such run measures")
        if trouble is None:
            records.append(cast(T, record))
        else:
            _log.warning("%s; the line was left out", trouble)
    return records


def measurable(record: Any, first: Any = None) -> bool:
    """Whether a record is such as a run measures, and of the shape of its first, if it has one."""
    if first is not None and getattr(record, "shape", None) != getattr(first, "shape", None):
        return False
    if not 0 <= record.step <= STEPS:
        return False
    values: list[Any] = [msgspec.to_builtins(record, enc_hook=str)]
    while values:
        value = values.pop()
        if isinstance(value, dict):
            values.extend(cast("dict[Any, Any]", value).values())
        elif isinstance(value, list):
            values.extend(cast("list[Any]", value))
        elif isinstance(value, int | float) and not -LARGEST <= value <= LARGEST:
            return False
    return True


def read_lines(path: Path, kind: type[T]) -> list[T]:
    """The records of a file that may still be growing; [] if there is no file."""
    records: list[T] = []
    for record in _records(path, kind):
        if isinstance(record, UserError):
            raise record
        records.append(record)
    return records


def _records(path: Path, kind: type[T]) -> Iterator[T | UserError]:
    """The records of a file, and an error for each line that holds none."""
    try:
        file = open_regular(path)
    except FileNotFoundError:
        return
    decoder = msgspec.json.Decoder(kind, dec_hook=_path)
    with file:
        for number, text in enumerate(bounded_lines(path, file), 1):
            if not text.endswith(b"\n"):
                break  # half written
            try:
                yield _decode(text, decoder, f"{path}:{number}")
            except UserError as error:
                yield error


def bounded_lines(path: Path, file: BinaryIO) -> Iterator[bytes]:
    """The lines of a file, as long as they are not too long."""
    while text := file.readline(LINE + 1):
        if len(text) > LINE:
            raise UserError(f"{path} cannot be read: it has a line of more than {LINE:,} bytes")
        yield text


def last_lines(path: Path, kind: type[T], most: int) -> list[T]:
    """The last records of a file, at most so many; damaged lines are left out.

    Of a long file only the end is read, so a table of many runs is quick.
    """
    try:
        file = open_regular(path)
    except FileNotFoundError:
        return []
    with file:
        begin = file.seek(max(0, file.seek(0, os.SEEK_END) - END))
        lines = file.read(END).split(b"\n")
    whole = lines[1:-1] if begin else lines[:-1]  # without half lines at either end
    decoder = msgspec.json.Decoder(kind, dec_hook=_path)
    records: list[T] = []
    for text in whole[-most:]:
        with contextlib.suppress(*DAMAGE):
            records.append(decoder.decode(text))
    return records


def numbered_lines(path: Path, *, pipes: bool = False) -> Iterator[tuple[int, bytes]]:
    """The non-blank lines of a file, numbered and without line endings; - is stdin.

    Other pipes are read only if the user has named them for that.
    """
    if path == STDIN:
        opened = contextlib.nullcontext(cast(BinaryIO, sys.stdin.buffer))
    else:
        try:
            opened = cast(BinaryIO, path.open("rb")) if pipes else open_regular(path)
        except OSError as error:
            raise UserError(f"cannot read {path}: {error.strerror}") from error
    with opened as file:
        for number, text in enumerate(bounded_lines(path, file), 1):
            if text.strip():
                yield number, text.rstrip(b"\r\n")


def keep_lines(path: Path, wanted: Callable[[bytes], bool]) -> None:
    """Remove the lines that are not wanted, and a last one that is half written."""
    if path.exists():
        with open_regular(path) as old, _replacing_own(path) as new:
            new.writelines(
                text for text in bounded_lines(path, old) if text.endswith(b"\n") and wanted(text)
            )


def cut_torn_line(path: Path) -> None:
    """Cut off a last line left half written by a program that was killed."""
    with open_grown(path, os.O_RDWR) as file:
        start = file.seek(max(0, file.seek(0, os.SEEK_END) - LINE))
        file.truncate(start + file.read().rfind(b"\n") + 1)


# Folders.


def remove_drafts(folder: Path) -> None:
    """Remove what `replacing` left in a folder when the program was killed."""
    for path in folder.glob(".*.part"):
        if _DRAFT.fullmatch(path.name) and not path.is_dir():
            path.unlink()


_DRAFT: Final = re.compile(r"\..+\.\d+\.part")


def shortest_names(lengths: Mapping[tuple[str, ...], int]) -> dict[tuple[str, ...], str]:
    """Shortest unambiguous names for paths, from at least so many of their last parts."""
    lengths = dict(lengths)
    while True:
        names = {path: "/".join(path[-n:]).replace("//", "/") for path, n in lengths.items()}
        counts = Counter(names.values())
        shared = [path for path, n in lengths.items() if counts[names[path]] > 1 and n < len(path)]
        if not shared:
            return names
        for path in shared:
            lengths[path] += 1
