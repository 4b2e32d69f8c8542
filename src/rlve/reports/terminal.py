"""Tables and progress bars, alike in all commands."""

import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress

GAP = "  "
NARROWEST = 20  # a folded column narrower than this is no help to anyone


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    total: Sequence[object] | None = None,
    file: TextIO | None = None,
) -> None:
    """Print a table; numbers stand on the right, and `total` below a line.

    On a terminal the last column is folded to the width that is left for it. Elsewhere every row
    is one line, so that the output can be searched and cut. No cell is ever shortened.
    """
    out = file or sys.stdout
    body = [[_cell(value) for value in row] for row in rows]
    foot = [] if total is None else [[_cell(value) for value in total]]
    lines = [*body, *foot]
    widths = [max(map(len, cells)) for cells in zip(columns, *lines, strict=True)]
    right = [all(map(_is_number, cells)) for _, *cells in zip(columns, *lines, strict=True)]
    if out.isatty():
        left = shutil.get_terminal_size().columns - sum(widths[:-1]) - len(GAP) * len(widths[1:])
        widths[-1] = min(widths[-1], max(left, NARROWEST, len(columns[-1])))
    rule = ["─" * width for width in widths]
    for line in (columns, rule, *body, *([rule] if foot else []), *foot):
        first, *others = textwrap.wrap(line[-1], widths[-1]) or [""]
        cells = [
            text.rjust(width) if number else text.ljust(width)
            for text, width, number in zip((*line[:-1], first), widths, right, strict=True)
        ]
        print(GAP.join(cells).rstrip(), file=out)
        indent = " " * (sum(widths[:-1]) + len(GAP) * len(widths[1:]))
        for other in others:
            print(indent + other, file=out)


def _cell(value: object) -> str:
    return "" if value is None else f"{value:,}" if isinstance(value, int) else str(value)


def _is_number(text: str) -> bool:
    return not text or text.removeprefix("-")[:1].isdigit()


def progress_bar(unit: str) -> "Progress":
    """A bar on stderr while that is a terminal, and nothing otherwise."""
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
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
