"""What several commands ask for in the same way: environments, difficulties, a prompt format."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, TypeAlias

from tyro.conf import Positional, UseAppendAction, arg

from rlve.collections import COLLECTIONS, collection
from rlve.contract import AnyEnvironment
from rlve.errors import UserError
from rlve.registry import environment, environments, families, register

Collections: TypeAlias = Annotated[
    UseAppendAction[tuple[str, ...]],
    arg(
        aliases=["-c"],
        metavar="COLLECTION",
        help_behavior_hint=f"({', '.join(COLLECTIONS)}; can be repeated)",
    ),
]
Families: TypeAlias = Annotated[
    UseAppendAction[tuple[str, ...]],
    arg(aliases=["-f"], metavar="FAMILY", help_behavior_hint="(can be repeated)"),
]

Flag: TypeAlias = Annotated[bool, arg(help_behavior_hint="")]
"""A switch that is off unless it is given."""


@dataclass(frozen=True)
class Selection:
    """Which environments: by name, or all of a collection, of a family, or of both at once."""

    names: Annotated[
        Positional[tuple[str, ...]], arg(metavar="[NAME ...]", help_behavior_hint="")
    ] = ()
    """Environments, as `rlve list` names them; MODULE:CLASS is one of your own."""
    collection: Collections = ()
    """The environments of a collection."""
    family: Families = ()
    """The environments of a family."""

    def environments(self) -> list[AnyEnvironment]:
        """The environments that were asked for, each once."""
        if self.names and (self.collection or self.family):
            raise UserError("give names of environments, or --collection and --family, not both")
        if not (self.names or self.collection or self.family):
            raise UserError(
                "no environment was asked for; give names, --collection or --family "
                "('rlve list' shows what there is)"
            )
        # A collection that is not all there is an error, not a smaller collection.
        listed = [name for group in self.collection for name in collection(group)]
        names = self.names or select(listed or environments(), (), self.family)
        return [find(name) for name in dict.fromkeys(names)]


def select(names: Iterable[str], collections: Iterable[str], families: Iterable[str]) -> list[str]:
    """The names that are in one of the collections, if any is given, and likewise families."""
    groups = [
        {name for group in groups for name in members(group)}
        for members, groups in ((collection, tuple(collections)), (_family, tuple(families)))
        if groups
    ]
    return [name for name in names if all(name in group for group in groups)]


def _family(name: str) -> list[str]:
    known = families()
    if name not in known:
        raise UserError(f"no family is named {name!r}; there are {', '.join(known)}")
    return known[name]


def find(name: str) -> AnyEnvironment:
    """The environment of that name, or the class at MODULE:CLASS, which is then registered."""
    if ":" not in name:
        return environment(name)
    from rlve.targets import load

    return register(load(name))


def as_difficulty(text: str) -> int:
    """An integer >= 0. Flags take it as text, so that a wrong one gets our own message."""
    if not re.fullmatch(r"\+?[0-9]{1,9}", text):
        raise UserError(f"a difficulty is an integer 0, 1, 2, ..., not {text}")
    return int(text)


def as_difficulties(text: str) -> list[int]:
    """One difficulty, such as 3; a list, 0,2,8; a range with both its ends, 0..4; or a mixture."""
    found: list[int] = []
    for part in text.split(","):
        low, dots, high = (end.strip() for end in part.partition(".."))
        first = as_difficulty(low)
        last = as_difficulty(high) if dots else first
        if last < first:
            raise UserError(f"the range of difficulties {part.strip()} is empty")
        if last - first >= 10_000:
            raise UserError(f"the range of difficulties {part.strip()} is too long")
        found.extend(range(first, last + 1))
    return list(dict.fromkeys(found))
