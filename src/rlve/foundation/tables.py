"""Tables by which the package is extended: of curricula, of losses.

A table is a dict from names to rows. Everything that lists, explains or checks its names reads the
table, so a row that is added to it, here or by a user, is found in settings, `--help` and pages.
"""

from collections.abc import Iterable, Mapping
from dataclasses import Field, field, fields
from typing import Any, Final, Protocol

from rlve.errors import UserError

CHOICES: Final = "choices"  # in the metadata of a setting: its value is a row of this table
NAMES: Final = "names"  # or is something else


class Row(Protocol):
    """What every row has."""

    @property
    def meaning(self) -> str: ...


Table = Mapping[str, Row]


def one_of(table: Table, default: str | None) -> Any:
    """A setting that names a row of a table; None is no row, if it is the default."""
    return field(default=default, metadata={CHOICES: table})


def name_in(table: Table, default: str) -> Any:
    """A setting that names a row of a table, or something else."""
    return field(default=default, metadata={NAMES: table})


def explain(setting: "Field[Any]", text: str) -> str:
    """The help text of a setting, with the rows that it can name."""
    table: Table = setting.metadata.get(CHOICES) or setting.metadata.get(NAMES) or {}
    if not table:
        return text
    rows = "; ".join(f"{name}: {row.meaning}" for name, row in table.items())
    return f"{text} {rows}."


def check_choices(section: str, settings: Any) -> None:
    """Raise a UserError for a setting that names no row of its table."""
    for setting in fields(settings):
        value, table = getattr(settings, setting.name), setting.metadata.get(CHOICES)
        if table is not None and value not in (*table, setting.default):
            name = setting.name.replace("_", "-")
            raise UserError(f"{section}.{name} must be {either(table)}, not {value!r}")


def either(names: Iterable[str]) -> str:
    """For example: a, b or c."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last
