"""The collections of environments that the paper trains and tests on.

C1 < C4 < C16 < C256 are nested training collections. HELD_OUT is disjoint from all of them and
is for testing. ALL is every environment of RLVE-Gym, including those that are in neither.

D4 < D16 and D_HELD_OUT are the same for problems that answer back (rlve.dialogue), which are in
none of the others.
"""

from collections.abc import Iterable

from rlve.catalogue import CATALOGUE, DIALOGUES
from rlve.errors import UserError


def _entered(collection: str) -> tuple[str, ...]:
    """The environments that this is the smallest collection of."""
    entries = (*CATALOGUE.values(), *DIALOGUES.values())
    return tuple(sorted(entry.name for entry in entries if entry.collection == collection))


C1 = _entered("C1")
C4 = (*C1, *_entered("C4"))
C16 = (*C4, *_entered("C16"))
C256 = (*C16, *_entered("C256"))
HELD_OUT = _entered("HELD_OUT")
ALL: tuple[str, ...] = tuple(sorted(CATALOGUE))

D4 = _entered("D4")
D16 = (*D4, *_entered("D16"))
D_HELD_OUT = _entered("D_HELD_OUT")

COLLECTIONS = {
    "C1": C1,
    "C4": C4,
    "C16": C16,
    "C256": C256,
    "HELD_OUT": HELD_OUT,
    "ALL": ALL,
    "D4": D4,
    "D16": D16,
    "D_HELD_OUT": D_HELD_OUT,
}


def collection(name: str) -> tuple[str, ...]:
    """The names of the environments in a collection, for example C16 or HELD_OUT."""
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


def resolve(names: Iterable[str], *, families: Iterable[str] = ()) -> list[str]:
    """The environments, without repeats, that names of environments and collections stand for.

    `families` keeps only the members of those families, out of all environments if there are no
    names. A user's own environment, MODULE:CLASS or FILE.py:CLASS, is registered, and can be chosen
    by its class name from then on.
    """
    from rlve import registry
    from rlve.targets import find

    known = dict.fromkeys(registry.environments())
    apart = registry.dialogues()
    chosen: list[str] = []
    for name in dict.fromkeys(names):
        if is_collection(name):
            chosen += collection(name)
        else:  # a known name is not imported
            chosen.append(name if name in known or name in apart else find(name).__name__)
    wanted = list(families)
    if wanted:
        members = {member for family in wanted for member in _members(family)}
        chosen = [name for name in chosen or (*known, *apart) if name in members]
    return list(dict.fromkeys(chosen))


def _members(family: str) -> list[str]:
    from rlve.registry import DIALOGUE, dialogues, families

    known = families() | {DIALOGUE: dialogues()}
    if family not in known:
        raise UserError(f"no family is named {family!r}; the families are {', '.join(known)}")
    return known[family]
