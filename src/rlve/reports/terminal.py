"""Tables, text and progress bars that fit a terminal, the same for all commands."""

import codecs
import logging
import shutil
import sys
import textwrap
import traceback
import unicodedata
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import zip_longest
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress

GAP = "  "
NARROWEST = 20  # a wrapped column of text narrower than this is unreadable
LONGEST_ERROR = 4_000  # characters

PLAIN = str.maketrans("─━│╭╮╰╯▁▂▃▄▅▆▇█±→…", "--|++++_..::=##+>.")
"""Replacements for characters that a terminal cannot show."""


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    total: Sequence[object] | None = None,
    keys: int = 1,
    file: TextIO | None = None,
) -> None:
    """Print a table; numbers are right-aligned, and `total` is below a line.

    On a terminal the table fits its width: headings and text are wrapped at words and, if that is
    not enough, the columns are split into several tables, each with the first `keys` columns, which
    identify the rows. Elsewhere every row is one line, so that the output can be searched and cut.
    No cell is ever shortened.
    """
    out = file or sys.stdout
    body = [[_cell(value) for value in row] for row in rows]
    foot = [] if total is None else [[_cell(value) for value in total]]
    cells = zip(columns, *body, *foot, strict=True)
    made = [_Column(_cell(heading), list(below)) for heading, *below in cells]
    if not out.isatty():
        _print_columns(made, len(foot), out)
        return
    for number, part in enumerate(_parts(made, keys, shutil.get_terminal_size().columns)):
        if number:
            print(file=out)
        _print_columns(part, len(foot), out)


@dataclass
class _Column:
    """A column of a table, and its printed width."""

    heading: str
    cells: list[str]
    width: int = 0

    def __post_init__(self) -> None:
        self.width = max(map(len, (self.heading, *self.cells)))

    @property
    def is_numbers(self) -> bool:
        return all(map(_is_number, self.cells))

    @property
    def narrowest(self) -> int:
        """The smallest width, with the heading and cells of text wrapped at words."""
        heading = max(map(len, self.heading.split()), default=0)
        body = max(map(len, self.cells), default=0)
        return max(heading, body if self.is_numbers else min(body, NARROWEST))

    def lines(self, text: str) -> list[str]:
        """The printed lines of a cell."""
        lines = [text] if len(text) <= self.width else textwrap.wrap(text, self.width)
        return [
            line.rjust(self.width) if self.is_numbers else line.ljust(self.width) for line in lines
        ]


def _parts(columns: list[_Column], keys: int, width: int) -> list[list[_Column]]:
    """The columns, narrowed to fit; in several tables, if they do not fit into one."""
    head, rest = columns[:keys], columns[keys:]
    parts: list[list[_Column]] = [[]]
    for column in rest:
        if parts[-1] and _width([*head, *parts[-1], column], narrow=True) > width:
            parts.append([])
        parts[-1].append(column)
    for part in parts:
        _fold([*head, *part], width)
    return [[*head, *part] for part in parts]


def _width(columns: Sequence[_Column], *, narrow: bool = False) -> int:
    gaps = len(GAP) * (len(columns) - 1)
    return gaps + sum(column.narrowest if narrow else column.width for column in columns)


def _fold(columns: list[_Column], width: int) -> None:
    """Make columns narrower until they fit, the widest first."""
    while _width(columns) > width and (
        wide := [column for column in columns if column.width > column.narrowest]
    ):
        max(wide, key=lambda column: column.width).width -= 1


def _print_columns(columns: list[_Column], feet: int, out: TextIO) -> None:
    rule = ["─" * column.width for column in columns]
    rows = list(zip(*(column.cells for column in columns), strict=True))
    _print_row(columns, [column.heading for column in columns], out)
    _print_row(columns, rule, out)
    for index, row in enumerate(rows):
        if feet and index == len(rows) - feet:
            _print_row(columns, rule, out)
        _print_row(columns, row, out)


def _print_row(columns: list[_Column], texts: Sequence[str], out: TextIO) -> None:
    cells = [column.lines(text) for column, text in zip(columns, texts, strict=True)]
    for line in zip_longest(*cells):
        padded = (
            " " * column.width if text is None else text
            for column, text in zip(columns, line, strict=True)
        )
        print(GAP.join(padded).rstrip(), file=out)


def print_text(text: str, *, file: TextIO | None = None) -> None:
    """Print sentences; on a terminal they are wrapped at words."""
    out = file or sys.stdout
    width = shutil.get_terminal_size().columns
    for line in escape(text).split("\n"):
        if out.isatty() and len(line) > width:
            # People copy paths and commands, so these must stay in one piece.
            line = textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False)
        print(line, file=out, flush=True)


def say(text: str) -> None:
    """Print sentences on stderr, above the progress bar if there is one."""
    print_text(text, file=sys.stderr)


def complain(text: str) -> None:
    """Print an error on stderr; it may quote any amount of somebody's file."""
    say("rlve: " + (text if len(text) <= LONGEST_ERROR else f"{text[:LONGEST_ERROR]} ..."))


def echo(text: object = "", *, end: str = "\n", file: IO[str] | None = None) -> None:
    """Print a text as it is, but for characters that a terminal would obey."""
    print(escape(str(text)), end=end, file=file or sys.stdout, flush=True)


def escape(text: str) -> str:
    """The text, with codes in place of characters that a terminal would obey.

    Such a character in JSON is always inside a string, and the code means the same there.
    """
    return text if text.isprintable() else "".join(map(_visible, text))


def _visible(char: str) -> str:
    if char.isprintable() or char in "\n\t" or unicodedata.category(char) == "Zs":
        return char
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))


def show_plainly() -> None:
    """Make stdout and stderr replace characters that their encoding lacks, instead of failing.

    What libraries log, and the traces of errors, may quote files, too, and are escaped.
    """
    codecs.register_error("rlve.plain", _plain)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and not stream.encoding.lower().startswith("utf"):
            stream.reconfigure(errors="rlve.plain")
    logging.setLogRecordFactory(_PlainRecord)
    warnings.formatwarning = _format_warning
    sys.excepthook = _show_error


_formatted = warnings.formatwarning


class _PlainRecord(logging.LogRecord):
    def getMessage(self) -> str:  # noqa: N802  logging's name for it
        return escape(super().getMessage())


def _format_warning(*args: Any) -> str:
    return escape(_formatted(*args))


def _show_error(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    echo("".join(traceback.format_exception(kind, error, trace)), end="", file=sys.stderr)


def _plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(PLAIN)
    return text.encode("ascii", "backslashreplace").decode(), error.end


def _cell(value: object) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return "" if value is None else escape(str(value)).replace("\n", "\\n")


def _is_number(text: str) -> bool:
    return not text or text.removeprefix("-")[:1].isdigit()


def progress_bar(unit: str) -> "Progress":
    """A bar on stderr if that is a terminal, and nothing otherwise."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    return Progress(
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeRemainingColumn(),
        TextColumn("left"),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
