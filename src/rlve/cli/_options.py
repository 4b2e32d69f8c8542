"""Options that several commands share: environments, switches, code of the user's own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from tyro.conf import Positional, UseAppendAction, arg

from rlve.collections import COLLECTIONS, collection, is_collection, resolve
from rlve.contract import AnyEnvironment
from rlve.errors import UserError
from rlve.foundation.tables import either
from rlve.registry import environments
from rlve.targets import find


def metavar(
    text: str, *aliases: str, name: str | None = None, hint: str | Callable[[str], str] = ""
) -> Any:
    """How `--help` shows the value of a flag, and what it says in place of the default."""
    return arg(metavar=text, aliases=aliases or None, name=name, help_behavior_hint=hint)


Collections: TypeAlias = Annotated[
    UseAppendAction[tuple[str, ...]],
    metavar("COLLECTION", "-c", hint=f"({', '.join(COLLECTIONS)}; can be repeated)"),
]
Families: TypeAlias = Annotated[
    UseAppendAction[tuple[str, ...]], metavar("FAMILY", "-f", hint="(can be repeated)")
]

Load: TypeAlias = Annotated[
    UseAppendAction[tuple[str, ...]], metavar("FILE.py", hint="(can be repeated)")
]
"""The user's own code, which defines what data files name."""

Columns: TypeAlias = Annotated[
    UseAppendAction[tuple[str, ...]],
    metavar("NAME=COLUMN", name="column", hint="(can be repeated)"),
]
"""Other names of columns in the user's own files."""

Workers: TypeAlias = Annotated[int | None, metavar("INT", hint="(default: one per core)")]
OutputFile: TypeAlias = Annotated[Path | None, metavar("FILE", "-o")]

Flag: TypeAlias = Annotated[bool, arg(help_behavior_hint="")]
"""A switch that is off by default."""


@dataclass(frozen=True)
class Selection:
    """Environments: by name, or all in a collection, in a family, or in both."""

    names: Annotated[Positional[tuple[str, ...]], metavar("[NAME ...]")] = ()
    """Names of environments, as in `rlve list`; MODULE:CLASS or FILE.py:CLASS for your own."""
    collection: Collections = ()
    """All environments in this collection."""
    family: Families = ()
    """All environments in this family."""

    def targets(self) -> list[str]:
        """The names of the selected environments, without repetitions."""
        self._check()
        if not self.names:
            selected = select(self.collection, self.family)
            if not selected:
                raise UserError("no environment is in both these collections and these families")
            return selected
        names = (collection(name) if is_collection(name) else (name,) for name in self.names)
        return list(dict.fromkeys(name for group in names for name in group))

    def words(self) -> tuple[str, ...]:
        """The same, but with collections under their own names where possible."""
        targets = self.targets()  # also checks that they exist
        return tuple(targets) if self.family else (*self.names, *self.collection)

    def environments(self) -> list[AnyEnvironment]:
        """The selected environments."""
        return [find(name) for name in self.targets()]

    def __bool__(self) -> bool:
        return bool(self.names or self.collection or self.family)

    def _check(self) -> None:
        if self.names and (self.collection or self.family):
            raise UserError("give either names of environments, or --collection and --family")
        if not self:
            raise UserError(
                "no environment was given; give names, --collection or --family "
                "('rlve list' lists them)"
            )


def column_names(given: Sequence[str], known: Sequence[str]) -> dict[str, str]:
    """The columns that are given as NAME=COLUMN, by the names that we know them by."""
    named: dict[str, str] = {}
    for text in given:
        name, equals, column = text.partition("=")
        if not equals or not column or name not in known:
            raise UserError(
                f"--column takes NAME=COLUMN, where NAME is {either(known)}, not {text!r}"
            )
        named[name] = column
    return named


def value_of(flag: str, words: Sequence[str]) -> str | None:
    """The value of a flag; the last one, if it is given several times."""
    return next(reversed(values_of(flag, words)), None)


def values_of(flag: str, words: Sequence[str]) -> list[str]:
    """All the values that a flag is given."""
    values: list[str] = []
    for word, following in zip(words, [*words[1:], None], strict=False):
        if word == flag and following is not None:
            values.append(following)
        elif word.startswith(f"{flag}="):
            values.append(word.removeprefix(f"{flag}="))
    return values


def select(collections: Sequence[str], families: Sequence[str]) -> list[str]:
    """The environments in these collections and these families; where none is given, in any."""
    for name in collections:
        collection(name)  # raises an error for the name of an environment
    every = () if families else environments()  # dialogues are a family of their own
    return resolve(collections or every, families=families)
