"""The table of runs: which of them, in which order, and with which columns."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from rlve.errors import UserError
from rlve.reports.pages import duration
from rlve.server.studio.runs import RunRow

PAGE = 200  # rows at a time
DASH = "-"


@dataclass(frozen=True)
class Column:
    """A column of the table."""

    title: str
    text: Callable[[RunRow], str]
    key: Callable[[RunRow], Any]  # what to sort by; None comes last
    words: bool = False  # whether it is text, and not a number
    usual: bool = True  # whether it is shown unless other columns are chosen


def _share(value: float | None) -> str:
    return DASH if value is None else f"{value:.0%}"


COLUMNS: Mapping[str, Column] = {
    "state": Column("state", lambda r: r.state, lambda r: r.state, words=True),
    "kind": Column("kind", lambda r: r.kind, lambda r: r.kind, words=True, usual=False),
    "model": Column("model", lambda r: r.model, lambda r: r.model.lower(), words=True),
    "environments": Column(
        "environments", lambda r: r.environments, lambda r: r.environments.lower(), words=True
    ),
    "seed": Column("seed", lambda r: DASH if r.seed is None else str(r.seed), lambda r: r.seed),
    "learning_rate": Column(
        "learning rate",
        lambda r: DASH if r.learning_rate is None else f"{r.learning_rate:g}",
        lambda r: r.learning_rate,
    ),
    "steps": Column(
        "steps",
        lambda r: f"{r.steps:,}" + (f" of {r.planned:,}" if r.planned else ""),
        lambda r: r.steps,
    ),
    "high": Column(
        "mean h", lambda r: DASH if r.high is None else f"{r.high:.1f}", lambda r: r.high
    ),
    "accuracy_at_high": Column(
        "accuracy at h",
        lambda r: _share(r.accuracy_at_high),
        lambda r: r.accuracy_at_high,
        usual=False,
    ),
    "loss": Column(
        "loss",
        lambda r: DASH if r.loss is None else f"{r.loss:.3f}",
        lambda r: r.loss,
        usual=False,
    ),
    "before": Column(
        "test accuracy before",
        lambda r: str(r.before or DASH),
        lambda r: r.before and r.before.mean,
    ),
    "after": Column(
        "latest",
        lambda r: str(r.after or DASH),
        lambda r: r.after and r.after.mean,
    ),
    "change": Column(
        "change (95%), points",
        lambda r: (
            DASH
            if r.change is None
            else f"{100 * r.change.estimate:+.1f} ({100 * r.change.low:+.1f} to "
            f"{100 * r.change.high:+.1f})"
        ),
        lambda r: r.change and r.change.estimate,
        usual=False,
    ),
    "time": Column(
        "time",
        lambda r: duration(r.seconds) if r.seconds else DASH,
        lambda r: r.seconds,
        usual=False,
    ),
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
    key = _name if name == "name" else COLUMNS[name].key
    known = [row for row in found if key(row) is not None]
    unknown = [row for row in found if key(row) is None]
    return sorted(known, key=key, reverse=wanted.sort.startswith("-")) + unknown


def _name(row: RunRow) -> str:
    return row.name.lower()
