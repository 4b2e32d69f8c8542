"""The environments as the gallery shows them, from the catalogue alone."""

from typing import NamedTuple

from rlve.collections import COLLECTIONS
from rlve.registry import dialogues, entry, environments


class Card(NamedTuple):
    """An environment in the gallery."""

    name: str
    family: str
    task: str
    max_difficulty: int | None
    guessable: bool
    collections: tuple[str, ...]


def cards() -> list[Card]:
    """All environments, by name."""
    members = {name: frozenset(COLLECTIONS[name]) for name in collections()}
    return [
        Card(
            name=item.name,
            family=item.family,
            task=item.task,
            max_difficulty=item.max_difficulty,
            guessable=item.guessable,
            collections=tuple(name for name, names in members.items() if item.name in names),
        )
        for item in map(entry, environments())
    ]


def collections() -> list[str]:
    """The collections that an environment can be in."""
    apart = {*dialogues()}
    return [name for name, names in COLLECTIONS.items() if name != "ALL" and not apart & {*names}]


def families() -> list[str]:
    """The families of all environments."""
    return sorted({card.family for card in cards()})
