"""The environments as the gallery shows them, from the catalogue alone."""

from typing import Any, Final

from rlve.collections import COLLECTIONS
from rlve.registry import dialogues, entry, environments

MEMBERS: Final = {name: frozenset(of) for name, of in COLLECTIONS.items() if name != "ALL"}


def names() -> list[str]:
    """All environments, by name; those that answer back as well."""
    return sorted([*environments(), *dialogues()])


def cards() -> list[dict[str, Any]]:
    """The cards of all environments."""
    return [card(name) for name in names()]


def card(name: str) -> dict[str, Any]:
    """What is known of an environment, which need not be in the gallery, such as Sorting_3Tries."""
    inside = [each for each, members in MEMBERS.items() if name in members]
    return entry(name)._asdict() | {"collections": inside}


def families() -> list[str]:
    """The families of all environments."""
    return sorted({entry(name).family for name in names()})
