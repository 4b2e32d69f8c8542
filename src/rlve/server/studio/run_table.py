"""The table of runs: which of them, in which order, and with which columns."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from rlve.errors import UserError
from rlve.reports.findings import points
from rlve.reports.pages import duration
from rlve.server.studio.runs import RunRow, Tested

PAGE = 200  # rows at a time
DASH = "-"


@dataclass(frozen=True)
class Column:
    """A column of the table."""

    title: str
    value: Callable[[RunRow], Any]  # None if it is not known, which is a dash and comes last
    write: Callable[[Any], str] = str
    words: bool = False  # whether it is text, and not a number
    usual: bool = True  # whether it is shown unless other columns are chosen

    def text(self, row: RunRow) -> str:
        value = self.value(row)
        return DASH if value is None else self.write(value)

    def key(self, row: RunRow) -> Any:
        """What to sort by."""
        value = self.value(row)
        if isinstance(value, Tested):
            return value.mean
        return value.lower() if isinstance(value, str) else value


def _steps(counts: tuple[int, int]) -> str:
    done, planned = counts
    return f"{done:,} of {planned:,}" if planned else f"{done:,}"


NAME = Column("run", lambda r: r.name, words=True)  # the first, always shown
COLUMNS: Mapping[str, Column] = {
    "state": Column("state", lambda r: r.state, words=True),
    "kind": Column("kind", lambda r: r.kind, words=True, usual=False),
    "model": Column("model", lambda r: r.model, words=True),
    "environments": Column("environments", lambda r: r.environments, words=True),
    "seed": Column("seed", lambda r: r.seed),
    "learning_rate": Column("learning rate", lambda r: r.learning_rate, "{:g}".format),
    "steps": Column("steps", lambda r: (r.steps, r.planned or 0), _steps),
    "high": Column("mean h", lambda r: r.high, "{:.1f}".format),
    "accuracy_at_high": Column(
        "accuracy at h", lambda r: r.accuracy_at_high, "{:.0%}".format, usual=False
    ),
    "loss": Column("loss", lambda r: r.loss, "{:.3f}".format, usual=False),
    "before": Column("test accuracy before", lambda r: r.before),
    "after": Column("latest", lambda r: r.after),
    "change": Column("change (95%), points", lambda r: r.change, points, usual=False),
    "time": Column("time", lambda r: r.seconds or None, duration, usual=False),
}
USUAL = [name for name, column in COLUMNS.items() if column.usual]


class RunFilter(msgspec.Struct, frozen=True):
    """Which runs to show, and how; an empty field matches all."""

    q: str = ""
    state: str = ""
    sort: str = ""  # the name of a column, with - before it for the largest first
    columns: list[str] = []

    def query(self) -> dict[str, Any]:
        """The filter as a URL query."""
        asked = {"q": self.q, "state": self.state, "sort": self.sort}
        chosen = "" if self.shown == USUAL else ",".join(self.shown)
        return {key: value for key, value in (asked | {"columns": chosen}).items() if value}

    @property
    def shown(self) -> list[str]:
        """The columns to show, in their order."""
        return [name for name in COLUMNS if name in self.columns] or USUAL

    def sorted_by(self, name: str) -> str:
        """What `sort` becomes if a heading is clicked: largest first, smallest first, latest."""
        following = {f"-{name}": name, name: ""}
        return following.get(self.sort, f"-{name}")


def select(rows: Sequence[RunRow], wanted: RunFilter) -> list[RunRow]:
    """The runs that match, in order."""
    words = wanted.q.lower().split()
    found = [
        row
        for row in rows
        if (not wanted.state or row.state == wanted.state)
        and all(
            word in f"{row.name} {row.model} {row.environments} {row.kind}".lower()
            for word in words
        )
    ]
    if not wanted.sort:
        return found
    name = wanted.sort.removeprefix("-")
    if name != "name" and name not in COLUMNS:
        raise UserError(f"the table of runs has no column {name!r}")
    key = NAME.key if name == "name" else COLUMNS[name].key
    known = [row for row in found if key(row) is not None]
    unknown = [row for row in found if key(row) is None]
    return sorted(known, key=key, reverse=wanted.sort.startswith("-")) + unknown
