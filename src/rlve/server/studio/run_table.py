"""The table of runs: which of them, in which order, and with which columns."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean
from typing import Any, cast

import msgspec

from rlve.errors import UserError
from rlve.foundation.intervals import Interval
from rlve.foundation.metrics import TEACHING, step_table
from rlve.reports.pages import duration
from rlve.server.studio.runs import RunRow

PAGE = 200  # rows at a time
OWN = {"run.folder", "run.seed"}  # settings that each run has for itself
DASH = "-"
PERCENT, WHOLE = "{:.1%}".format, "{:,.0f}".format


@dataclass(frozen=True)
class Column:
    """A column of the table."""

    title: str
    value: Callable[[RunRow], Any]  # None if it is not known, which is a dash and comes last
    write: Callable[[Any], str] = str
    words: bool = False  # whether it is text, and not a number
    usual: bool = True  # whether it is shown unless other columns are chosen
    write_mean: Callable[[float], str] | None = None  # of runs, if it is not like a value

    def text(self, row: RunRow) -> str:
        value = self.value(row)
        return DASH if value is None else self.write(value)

    def key(self, row: RunRow) -> Any:
        """What to sort by."""
        value = self.value(row)
        if isinstance(value, tuple):
            return cast("tuple[float, ...]", value)[0]
        return value.lower() if isinstance(value, str) else value

    def mean(self, rows: Sequence[RunRow]) -> str:
        """The mean over runs and, in parentheses, the lowest and the highest of them."""
        known = [key for row in rows if (key := self.key(row)) is not None]
        if self.words or not known:
            return ""
        shown = (fmean(known), min(known), max(known))
        mean, low, high = map(self.write_mean or self.write, shown)
        return mean if low == high else f"{mean} ({low} to {high})"


def _steps(counts: tuple[int, int]) -> str:
    done, planned = counts
    return f"{done:,} of {planned:,}" if planned else f"{done:,}"


def _points(interval: Interval) -> str:
    """For example: +1.3 (+0.4 to +2.2)."""
    mean, low, high = map(_signed, interval)
    return f"{mean} ({low} to {high})"


def _signed(change: float) -> str:
    return f"{100 * change:+.1f}"


NAME = Column("run", lambda r: r.name, words=True)  # the first, always shown
COLUMNS: Mapping[str, Column] = {
    "state": Column("state", lambda r: r.state, words=True),
    "result": Column("test accuracy", lambda r: r.after or r.before, write_mean=PERCENT),
    "change": Column(
        "change, points", lambda r: r.change, _points, usual=False, write_mean=_signed
    ),
    "steps": Column("steps", lambda r: (r.steps, r.planned or 0), _steps, write_mean=WHOLE),
    "high": Column("mean h", lambda r: r.high, "{:.1f}".format),
    "environments": Column("environments", lambda r: r.environments, words=True),
    "model": Column("model", lambda r: r.model, words=True, usual=False),
    "seed": Column("seed", lambda r: r.seed, write_mean=lambda _: ""),
    "kind": Column("kind", lambda r: r.kind, words=True, usual=False),
    "accuracy_at_high": Column(
        "accuracy at h", lambda r: r.accuracy_at_high, usual=False, write_mean=PERCENT
    ),
    "before": Column("before", lambda r: r.before, usual=False, write_mean=PERCENT),
    "time": Column("time", lambda r: r.seconds or None, duration, usual=False),
}
USUAL = [name for name, column in COLUMNS.items() if column.usual]


def find_column(name: str) -> Column | None:
    """A column of the table, of any setting, such as rollout.group, or of any metric."""
    if name in COLUMNS:
        return COLUMNS[name]
    if "." in name:
        return Column(name, lambda row: row.settings.get(name), words=True)
    table = {**step_table(), **TEACHING}
    if name not in table or not table[name].format:
        return None
    form = f"{{:{table[name].format}}}".format
    return Column(table[name].title or name, lambda row: row.metrics.get(name), form)


class RunFilter(msgspec.Struct, frozen=True):
    """Which runs to show, and how; an empty field matches all."""

    q: str = ""
    state: str = ""
    sort: str = ""  # the name of a column, with - before it for the largest first
    columns: list[str] = []
    by: str = ""  # a setting, whose values have a group of runs each

    def query(self) -> dict[str, Any]:
        """The filter as a URL query."""
        asked = {"q": self.q, "state": self.state, "sort": self.sort, "by": self.by}
        chosen = "" if self.shown == USUAL else ",".join(self.shown)
        return {key: value for key, value in (asked | {"columns": chosen}).items() if value}

    @property
    def shown(self) -> list[str]:
        """The columns to show, in their order."""
        known = [name for name in COLUMNS if name in self.columns]
        asked = dict.fromkeys(name.strip() for name in self.columns)
        others = [name for name in asked if name not in COLUMNS and find_column(name)]
        return [*(known or USUAL), *others]

    @property
    def others(self) -> str:
        """The columns of settings and metrics, as one types them."""
        return ", ".join(name for name in self.shown if name not in COLUMNS)

    def column(self, name: str) -> Column:
        """One of the columns shown."""
        found = find_column(name)
        if found is None:
            raise UserError(f"the table of runs has no column {name!r}")
        return found

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
    if wanted.sort:
        name = wanted.sort.removeprefix("-")
        key = NAME.key if name == "name" else wanted.column(name).key
        known = [row for row in found if key(row) is not None]
        unknown = [row for row in found if key(row) is None]
        found = sorted(known, key=key, reverse=wanted.sort.startswith("-")) + unknown
    if wanted.by:
        value = wanted.column(wanted.by).text
        places = {text: i for i, text in enumerate(dict.fromkeys(map(value, found)))}
        found.sort(key=lambda row: places[value(row)])
    return found


def groups(chosen: Sequence[RunRow], wanted: RunFilter) -> dict[str, tuple[str, int, list[str]]]:
    """By the id of its first run: the value that each group has, its size, and its means."""
    found: dict[str, tuple[str, int, list[str]]] = {}
    value = wanted.column(wanted.by).text if wanted.by else str
    for text, rows in groupby(chosen if wanted.by else (), value):
        members = list(rows)
        means = [wanted.column(name).mean(members) for name in wanted.shown]
        found[members[0].id] = text, len(members), means
    return found


def choices(rows: Sequence[RunRow]) -> list[str]:
    """The settings by which runs can be grouped: those in which they differ."""
    known = {(name, value) for row in rows for name, value in row.settings.items()}
    counts = Counter(name for name, _ in known)
    return sorted(name for name in counts.keys() - OWN if counts[name] > 1)
