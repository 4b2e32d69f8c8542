"""What several commands ask for in the same way: environments, switches, flags of others."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, TypeAlias

from tyro.conf import Positional, UseAppendAction, arg

from rlve.collections import COLLECTIONS, collection, is_collection, resolve
from rlve.contract import AnyEnvironment
from rlve.errors import UserError
from rlve.registry import environments
from rlve.targets import find

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

Load: TypeAlias = Annotated[
    UseAppendAction[tuple[str, ...]],
    arg(metavar="FILE.py", help_behavior_hint="(can be repeated)"),
]
"""Code of the user's own that is run, so that files of data can name what it defines."""

Flag: TypeAlias = Annotated[bool, arg(help_behavior_hint="")]
"""A switch that is off unless it is given."""


@dataclass(frozen=True)
class Selection:
    """Which environments: by name, or all of a collection, of a family, or of both at once."""

    names: Annotated[
        Positional[tuple[str, ...]], arg(metavar="[NAME ...]", help_behavior_hint="")
    ] = ()
    """Environments, as `rlve list` names them; MODULE:CLASS or FILE.py:CLASS is your own."""
    collection: Collections = ()
    """The environments of a collection."""
    family: Families = ()
    """The environments of a family."""

    def targets(self) -> list[str]:
        """The names of the environments that were asked for, each once."""
        self._check()
        if not self.names:
            found = select(self.collection, self.family)
            if not found:
                raise UserError("no environment is in these collections and of these families")
            return found
        names = (collection(name) if is_collection(name) else (name,) for name in self.names)
        return list(dict.fromkeys(name for group in names for name in group))

    def words(self) -> tuple[str, ...]:
        """The same with a collection under its own name, so far as that can be."""
        found = self.targets()  # which finds what is wrong
        return tuple(found) if self.family else (*self.names, *self.collection)

    def environments(self) -> list[AnyEnvironment]:
        """The environments that were asked for."""
        return [find(name) for name in self.targets()]

    def __bool__(self) -> bool:
        return bool(self.names or self.collection or self.family)

    def _check(self) -> None:
        if self.names and (self.collection or self.family):
            raise UserError("give names of environments, or --collection and --family, not both")
        if not self:
            raise UserError(
                "no environment was asked for; give names, --collection or --family "
                "('rlve list' shows what there is)"
            )


def value_of(flag: str, words: Sequence[str]) -> str | None:
    """What follows a flag, the last time it is given."""
    return next(reversed(values_of(flag, words)), None)


def values_of(flag: str, words: Sequence[str]) -> list[str]:
    """What follows a flag, each time it is given."""
    found: list[str] = []
    for word, following in zip(words, [*words[1:], None], strict=False):
        if word == flag and following is not None:
            found.append(following)
        elif word.startswith(f"{flag}="):
            found.append(word.removeprefix(f"{flag}="))
    return found


def select(collections: Sequence[str], families: Sequence[str]) -> list[str]:
    """The environments of these collections, or of all, that are of these families, or of any."""
    for name in collections:
        collection(name)  # an environment is none
    return resolve(collections or environments(), families=families)
