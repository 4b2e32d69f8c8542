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


def names() -> list[str]:
    """All environments, by name; those that answer back as well."""
    return sorted([*environments(), *dialogues()])


def cards() -> list[Card]:
    """The cards of all environments."""
    members = {name: frozenset(COLLECTIONS[name]) for name in collections()}
    return [_card(name, members) for name in names()]


def card(name: str) -> Card:
    """The card of one environment, which need not be in the gallery, such as Sorting_3Tries."""
    return _card(name, {each: frozenset(COLLECTIONS[each]) for each in collections()})


def _card(name: str, members: dict[str, frozenset[str]]) -> Card:
    item = entry(name)
    return Card(
        name=item.name,
        family=item.family,
        task=item.task,
        max_difficulty=item.max_difficulty,
        guessable=item.guessable,
        collections=tuple(each for each, inside in members.items() if name in inside),
    )


def collections() -> list[str]:
    """The collections that an environment can be in."""
    return [name for name in COLLECTIONS if name != "ALL"]


def families() -> list[str]:
    """The families of all environments."""
    return sorted({card.family for card in cards()})
