"""JSON-lines files that are read while they grow, each line once."""

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import msgspec

from rlve.errors import UserError
from rlve.foundation.files import DAMAGE, bounded_lines, measurable, open_regular
from rlve.foundation.run_folders import METRICS, VALIDATION

T = TypeVar("T")

MEASUREMENTS: Final = (METRICS, VALIDATION)  # files whose numbers are drawn

TAIL = 64  # last bytes read, by which the file is recognised


class Tail(Generic[T]):
    """The records of a file; `read` adds what is new.

    A file that was truncated or rewritten, as by a run that resumes from a checkpoint, is read
    again from the start. A half-written line is left for the next time. A damaged line costs that
    line alone, and is named in `damage`.
    """

    def __init__(
        self,
        path: Path,
        kind: type[Any],
        shorten: Callable[[int, Any], T] = lambda _, record: record,
    ) -> None:
        """A file of records; `shorten` makes of each, and its number, what is to be kept of it."""
        self.path = path
        self._shorten = shorten
        self.records: list[T] = []
        self.places: list[tuple[int, int]] = []  # the offsets and lengths of their lines
        self.damage: list[str] = []
        self._decoder = msgspec.json.Decoder(kind)
        self._lock = threading.Lock()
        self._end = 0
        self._tail = b""

    def read(self) -> list[T]:
        """All records so far; empty if there is no file."""
        with self._lock:
            try:
                with open_regular(self.path) as file:
                    self._check_same(file.fileno())
                    file.seek(self._end)
                    for text in bounded_lines(self.path, file):
                        if not text.endswith(b"\n"):
                            break
                        self._take(text)
            except FileNotFoundError:
                self._forget()
            except OSError as error:
                raise UserError(f"{self.path.name} cannot be read: {error}") from error
            return self.records.copy()  # another thread may read on

    def _take(self, text: bytes) -> None:
        try:
            record = self._decoder.decode(text)
            if self.path.name in MEASUREMENTS and not measurable(record, *self.records[:1]):
                raise msgspec.ValidationError("no such run measures this")
            self.records.append(self._shorten(len(self.records), record))
        except DAMAGE as error:
            number = len(self.records) + len(self.damage) + 1
            self.damage.append(f"{self.path.name}, line {number}, is damaged: {error}")
        else:
            self.places.append((self._end, len(text)))
        self._end += len(text)
        self._tail = (self._tail + text)[-TAIL:]

    def _check_same(self, file: int) -> None:
        begin = self._end - len(self._tail)
        if os.pread(file, len(self._tail), begin) != self._tail:
            self._forget()

    def _forget(self) -> None:
        self.records, self.places, self.damage = [], [], []
        self._end, self._tail = 0, b""

    def line(self, index: int) -> bytes:
        """The line of a record, as it is in the file."""
        offset, length = self.places[index]
        with open_regular(self.path) as file:
            return os.pread(file.fileno(), length, offset)
