"""The collections of environments that the paper trains and tests on.

C1 < C4 < C16 < C256 are nested training collections. HELD_OUT is disjoint from all of them and
is for testing. ALL is every environment of RLVE-Gym, including those that are in neither.
"""

from collections.abc import Iterable

from rlve.catalogue import CATALOGUE
from rlve.errors import UserError


def _entered(collection: str) -> tuple[str, ...]:
    """The environments that this is the smallest collection of."""
    entries = CATALOGUE.values()
    return tuple(sorted(entry.name for entry in entries if entry.collection == collection))


C1 = _entered("C1")
C4 = (*C1, *_entered("C4"))
C16 = (*C4, *_entered("C16"))
C256 = (*C16, *_entered("C256"))
HELD_OUT = _entered("HELD_OUT")
ALL: tuple[str, ...] = tuple(sorted(CATALOGUE))

COLLECTIONS = {"C1": C1, "C4": C4, "C16": C16, "C256": C256, "HELD_OUT": HELD_OUT, "ALL": ALL}


def collection(name: str) -> tuple[str, ...]:
    """The names of the environments in a collection: C1, C4, C16, C256, HELD_OUT or ALL."""
    if not is_collection(name):
        raise UserError(
            f"no collection is named {name!r}; the collections are {', '.join(COLLECTIONS)}"
        )
    return COLLECTIONS[_key(name)]


def is_collection(name: str) -> bool:
    """Whether a collection has that name."""
    return _key(name) in COLLECTIONS


def _key(name: str) -> str:
    return name.upper().replace("-", "_")


def resolve(
    names: Iterable[str], *, families: Iterable[str] = (), without: Iterable[str] = ()
) -> list[str]:
    """The environments, without repeats, that names of environments and collections stand for.

    `without` leaves some out, and takes the same kinds of name. `families` keeps only the members
    of those families, out of all environments if there are no names. A user's own environment,
    MODULE:CLASS or FILE.py:CLASS, is registered, and can be chosen by its class name from then on.
    """
    from rlve import registry
    from rlve.targets import find

    known = dict.fromkeys(registry.environments())
    chosen: list[str] = []
    for name in names:
        if is_collection(name):
            chosen += collection(name)
        else:  # a known name is not imported
            chosen.append(name if name in known else find(name).__name__)
    wanted = list(families)
    if wanted:
        members = {member for family in wanted for member in _members(family)}
        chosen = [name for name in chosen or known if name in members]
    excluded = set(resolve(without)) if without else set[str]()
    return [name for name in dict.fromkeys(chosen) if name not in excluded]


def _members(family: str) -> list[str]:
    from rlve.registry import families

    known = families()
    if family not in known:
        raise UserError(f"no family is named {family!r}; the families are {', '.join(known)}")
    return known[family]
