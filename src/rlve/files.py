"""Atomic files, and JSON lines that may still be growing."""

import contextlib
import dataclasses
import errno
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar, cast

import msgspec

from rlve.errors import UserError

T = TypeVar("T")

STDOUT = STDIN = Path("-")
FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # disk, quota or file-size limit reached


def write_whole(path: Path, content: bytes) -> None:
    """Write or replace a file; a crash leaves an existing one as it was."""
    with replacing(path) as file:
        file.write(content)


@contextlib.contextmanager
def replacing(path: Path) -> Generator[BinaryIO]:
    """A file that replaces the path if the block succeeds; otherwise the path is untouched.

    "-" is stdout. Stdout, pipes and anything else that is not a regular file are written directly.
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
    number = int.from_bytes(os.urandom(8), "big")  # other threads may be replacing it, too
    part = target.with_name(f".{target.name}.{number}.part")
    file = _opened(path, part, os.O_CREAT | os.O_EXCL)
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


def _opened(path: Path, real: Path, flags: int) -> BinaryIO:
    if path.is_dir():
        raise UserError(f"cannot write to {path}: it is a folder")
    try:
        return os.fdopen(os.open(real, os.O_WRONLY | flags, 0o666), "wb")
    except OSError as error:
        raise UserError(f"cannot write to {path}: {error.strerror}") from error


def to_disk(path: Path) -> None:
    """Wait until the system has written a file, or a folder's list of names, to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# One JSON record.


def pretty(record: Any) -> bytes:
    """A record as readable JSON, one field per line."""
    return msgspec.json.format(msgspec.json.encode(record, enc_hook=str)) + b"\n"


def read_record(path: Path, kind: type[T], *, missing: str) -> T:
    """The record in a JSON file; `missing` is the error if there is no such file."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind, dec_hook=_path)
    except FileNotFoundError:
        raise UserError(missing) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is damaged: {error}") from error


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


def differing(left: Any, right: Any, prefix: str = "") -> list[str]:
    """The settings, such as data.window, in which two records of plain JSON differ."""
    if not (isinstance(left, dict) and isinstance(right, dict)):
        return [] if left == right else [prefix]
    a, b = cast(dict[str, Any], left), cast(dict[str, Any], right)
    return [
        setting
        for key in sorted({*a, *b})
        for setting in differing(a.get(key), b.get(key), f"{prefix}.{key}" if prefix else key)
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
    with path.open("ab", buffering=0) as file:
        before = file.seek(0, os.SEEK_END)
        rest = memoryview(b"".join(map(line, records)))
        try:
            while rest:
                rest = rest[file.write(rest) :]
        except OSError as error:
            file.truncate(before)  # half a line would run into the next
            raise OSError(error.errno, error.strerror, str(path)) from error


def write_lines(path: Path, records: Iterable[Any]) -> None:
    """Write a file of JSON lines."""
    with replacing(path) as file:
        file.writelines(map(line, records))


def read_lines(path: Path, kind: type[T]) -> list[T]:
    """The records of a file that may still be growing; [] if there is no file."""
    if not path.exists():
        return []
    decoder = msgspec.json.Decoder(kind, dec_hook=_path)
    records: list[T] = []
    with path.open("rb") as file:
        for number, text in enumerate(file, 1):
            if not text.endswith(b"\n"):
                break  # half written
            try:
                records.append(decoder.decode(text))
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise UserError(f"{path}:{number} is damaged: {error}") from error
    return records


def last_line(path: Path, kind: type[T]) -> T | None:
    """The last record of a file that may still be growing; None if it is empty or missing."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return None
    with file:
        begin = end = file.seek(0, 2)
        tail: list[bytes] = []
        while begin and len(tail) < 3:  # the text before the record, the record, half a line
            begin = max(0, begin - 2**16)
            file.seek(begin)
            tail = file.read(end - begin).split(b"\n")
    return msgspec.json.decode(tail[-2], type=kind, dec_hook=_path) if len(tail) > 1 else None


def numbered_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The non-blank lines of a file, numbered and without line endings; - is stdin."""
    try:
        opened = contextlib.nullcontext(sys.stdin.buffer) if path == STDIN else path.open("rb")
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    with opened as file:
        for number, text in enumerate(file, 1):
            if text.strip():
                yield number, text.rstrip(b"\r\n")


def keep_lines(path: Path, wanted: Callable[[bytes], bool]) -> None:
    """Remove the lines that are not wanted, and a last one that is half written."""
    if path.exists():
        with path.open("rb") as old, replacing(path) as new:
            new.writelines(text for text in old if text.endswith(b"\n") and wanted(text))


def cut_torn_line(path: Path) -> None:
    """Cut off a last line left half written by a program that was killed."""
    with path.open("r+b") as file:
        end = file.seek(0, 2)
        while end:
            start = max(0, end - 2**16)
            file.seek(start)
            newline = file.read(end - start).rfind(b"\n")
            if newline >= 0:
                file.truncate(start + newline + 1)
                return
            end = start
        file.truncate(0)


# Folders.


def remove_drafts(folder: Path) -> None:
    """Remove what `replacing` left in a folder when the program was killed."""
    for path in folder.glob(".*.part"):
        if _DRAFT.fullmatch(path.name) and not path.is_dir():
            path.unlink()


_DRAFT: Final = re.compile(r"\..+\.\d+\.part")


def told_apart(lengths: Mapping[tuple[str, ...], int]) -> dict[tuple[str, ...], str]:
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
