"""Tables, text and progress bars that fit a terminal, the same for all commands."""

import logging
import shutil
import sys
import textwrap
import traceback
import unicodedata
import warnings
from collections.abc import Iterable, Sequence
from io import StringIO, TextIOWrapper
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress
    from rich.table import Table

NARROWEST = 20  # a wrapped column of text narrower than this is unreadable
UNLIMITED = 1_000_000  # characters of a line, where it is not shown on a terminal
LONGEST_ERROR = 4_000  # characters


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
    from rich.console import Console

    out = file or sys.stdout
    width = shutil.get_terminal_size().columns if out.isatty() else None
    drawn = StringIO()
    console = Console(
        file=drawn, width=width or UNLIMITED, color_system=None, markup=False, emoji=False
    )
    as_wide = console.options.update_width(UNLIMITED)
    feet = [] if total is None else [total]
    lines = [[_cell(value) for value in row] for row in (columns, *rows, *feet)]
    made = list(zip(*lines, strict=True))
    parts = [made[: keys + 1]]
    for column in made[keys + 1 :]:
        wider = [*parts[-1], column]
        table = _table(wider, len(feet), folded=True)
        if console.measure(table, options=as_wide).minimum <= console.width:
            parts[-1] = wider
        else:
            parts.append([*made[:keys], column])
    for number, part in enumerate(parts):
        if number:
            console.print()
        console.print(_table(part, len(feet), folded=width is not None))
    for line in drawn.getvalue().splitlines():
        print(line.rstrip(), file=out)


def _table(columns: Sequence[Sequence[str]], feet: int, *, folded: bool) -> "Table":
    """A table of columns, each a heading and its cells."""
    from rich.rule import Rule
    from rich.table import Table

    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    for heading, *cells in columns:
        numbers = all(map(_is_number, cells))
        width = max(map(len, (*heading.split(), *cells)), default=0)
        fixed = folded and (numbers or width <= NARROWEST)
        table.add_column(
            justify="right" if numbers else "left",
            overflow="fold",
            width=width if fixed else None,
            min_width=None if fixed else min(width, NARROWEST),
        )
    rows = list(zip(*columns, strict=True))
    rule = [Rule(style="none")] * len(columns)
    for number, row in enumerate(rows):
        if number == 1 or (feet and number == len(rows) - feet):
            table.add_row(*rule)
        table.add_row(*row)
    return table


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
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and not stream.encoding.lower().startswith("utf"):
            stream.reconfigure(errors="replace")
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
