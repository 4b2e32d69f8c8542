"""Reading rows of JSONL and Parquet, and writing Parquet. pyarrow is imported on first use."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from rlve.errors import UserError
from rlve.foundation.files import DAMAGE, numbered_lines, open_regular

BATCH = 1_000  # rows written at a time


def numbered_rows(path: Path) -> Iterator[tuple[int, Any]]:
    """The rows of a JSONL or Parquet file as plain JSON, with their numbers."""
    if path.suffix == ".parquet":
        yield from enumerate(parquet_rows(path), 1)
        return
    for number, line in numbered_lines(path):
        try:
            yield number, msgspec.json.decode(line)
        except DAMAGE as error:
            raise UserError(f"{path}:{number}: not JSON: {error}") from None


def parquet_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a Parquet file."""
    try:
        from pyarrow import ArrowInvalid
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise UserError(
            f"reading {path} needs pyarrow, which is not installed: pip install 'rlve[parquet]'"
        ) from error
    try:
        with open_regular(path) as opened, ParquetFile(opened) as file:
            for batch in file.iter_batches():
                yield from batch.to_pylist()
    except ArrowInvalid as error:
        raise UserError(f"{path} is not a Parquet file: {error}") from None
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from None


class ParquetWriter:
    """Writes rows; `columns` names those of a file by its first row: int, str, or list for chats.

    A list column becomes a text column if the first row has text there.
    """

    def __init__(
        self, file: BinaryIO, columns: Callable[[Mapping[str, Any]], Mapping[str, type]]
    ) -> None:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError as error:
            raise UserError(
                "Parquet needs pyarrow, which is not installed: pip install 'rlve[parquet]', "
                "or write to a .jsonl file"
            ) from error
        self._arrow: Any = pyarrow
        self._parquet: Any = pyarrow.parquet
        self._file = file
        self._columns = columns
        self._writer: Any = None
        self._rows: list[dict[str, Any]] = []

    def write(self, row: dict[str, Any]) -> None:
        self._rows.append(row)
        if len(self._rows) == BATCH:
            self._flush()

    def finish(self) -> None:
        """Write the remaining rows."""
        self._flush()
        self.close()

    def close(self) -> None:
        """End the file, while it is still open."""
        if self._writer is not None:
            self._writer.close()

    def _flush(self) -> None:
        if self._writer is None:
            first = self._rows[0] if self._rows else {}
            self._writer = self._parquet.ParquetWriter(self._file, self._schema(first))
        if self._rows:
            batch = self._arrow.RecordBatch.from_pylist(self._rows, schema=self._writer.schema)
            self._writer.write_batch(batch)
            self._rows.clear()

    def _schema(self, first: Mapping[str, Any]) -> Any:
        text, integer = self._arrow.string(), self._arrow.int64()
        messages = self._arrow.list_(self._arrow.struct([("role", text), ("content", text)]))
        types = {int: integer, str: text, list: messages}
        return self._arrow.schema(
            [
                (name, text if isinstance(first.get(name), str) else types[kind])
                for name, kind in self._columns(first).items()
            ]
        )
