"""Name -> environment class, imported on first use.

Other packages add theirs with `rlve.register(cls)`, or lazily with an entry point in the group
"rlve.environments" that has the name of the environment.
"""

import difflib
import re
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar, cast

from rlve.catalogue import CATALOGUE, DIALOGUE, DIALOGUES, Entry
from rlve.errors import UnknownEnvironment, UserError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from rlve.contract import AnyEnvironment

ENTRY_POINTS = "rlve.environments"
ELSEWHERE = "elsewhere"  # the family of environments that other packages add without naming one
DATA = "data"  # the questions of data sets: judged like problems, but not generated

LONGEST = 200  # characters of a name that anybody may send
MOST_TRIES = 20  # anybody may also send any of the names up to it, whose classes are kept

E = TypeVar("E", bound="AnyEnvironment")

_registered: "dict[str, tuple[str, AnyEnvironment]]" = {}


def environments() -> list[str]:
    """The names of all environments whose problems are answered in one message.

    Those that hold the questions of data sets are not listed.
    """
    apart = (DATA, DIALOGUE)
    added = [name for name, (family, _) in _registered.items() if family not in apart]
    return sorted({*CATALOGUE, *added, *_plugins()})


def dialogues() -> list[str]:
    """The names of all environments whose problems answer back."""
    added = [name for name, (family, _) in _registered.items() if family == DIALOGUE]
    return sorted({*DIALOGUES, *added})


def families() -> dict[str, list[str]]:
    """The families, each with the names of its environments."""
    members: dict[str, list[str]] = {}
    for name in environments():
        members.setdefault(family(name), []).append(name)
    return dict(sorted(members.items()))


def family(name: str) -> str:
    """The family of the environment with that name."""
    if listed := CATALOGUE.get(name) or DIALOGUES.get(name):
        return listed.family
    if is_tries(name):
        return DIALOGUE
    return _registered[name][0] if name in _registered else ELSEWHERE


def entry(name: str) -> Entry:
    """The catalogue entry of an environment; one that is not in the catalogue is loaded."""
    return CATALOGUE.get(name) or DIALOGUES.get(name) or Entry.of(environment(name), family(name))


def environment(name: str) -> "AnyEnvironment":
    """The environment with that name."""
    if name in _registered:
        return _registered[name][1]
    if listed := CATALOGUE.get(name) or DIALOGUES.get(name):
        return getattr(import_module(listed.module), name)
    if name in _plugins():
        return _checked(_plugins()[name].load(), name)
    if is_tries(name):
        return getattr(import_module("rlve.attempts"), name)
    shown = name[:LONGEST]
    near = difflib.get_close_matches(shown, [*environments(), *dialogues()], n=1)
    hint = f"did you mean {near[0]!r}?" if near else "rlve.environments() lists all names."
    raise UnknownEnvironment(f"no environment is named {shown!r}; {hint}")


def register(cls: E, *, family: str | None = None) -> E:
    """Make an environment known by its class name; also usable as a class decorator.

    Registering it again without a family keeps the one it has.
    """
    _checked(cls, cls.__name__)
    before, known = _registered.get(cls.__name__, (ELSEWHERE, cls))
    if cls.__name__ in CATALOGUE or cls.__name__ in DIALOGUES or known is not cls:
        raise UserError(f"another environment is already named {cls.__name__!r}")
    kept = before if family is None else family
    _registered[cls.__name__] = DIALOGUE if is_dialogue(cls) else kept, cls
    return cls


def is_dialogue(cls: "AnyEnvironment") -> bool:
    """Whether the problems of an environment answer back."""
    from rlve.dialogue import Dialogue  # imports msgspec, which listing names does not need

    return issubclass(cls, Dialogue)


def is_tries(name: str) -> bool:
    """Whether this is the name of another environment with several tries (rlve.attempts)."""
    found = re.fullmatch(r"\w+_([1-9][0-9]?)Tries", name) if len(name) <= LONGEST else None
    return found is not None and int(found[1]) <= MOST_TRIES


@contextmanager
def registered(cls: E, *, family: str | None = None) -> Generator[E]:
    """Make an environment known by its class name while the block runs, for example in a test."""
    register(cls, family=family)
    try:
        yield cls
    finally:
        _registered.pop(cls.__name__, None)


@cache
def _plugins() -> "dict[str, EntryPoint]":
    from importlib.metadata import entry_points  # slow to import, and seldom needed

    return {point.name: point for point in entry_points(group=ENTRY_POINTS)}


def _checked(cls: Any, name: str) -> "AnyEnvironment":
    from rlve.contract import Environment  # imports msgspec, which listing names does not need

    if not (isinstance(cls, type) and issubclass(cls, Environment)):
        raise TypeError(f"{cls!r} is not an environment: it is not a subclass of rlve.Environment")
    loaded = cast("AnyEnvironment", cls)
    if loaded.__name__ != name:
        raise TypeError(f"the entry point {name!r} loads an environment named {loaded.__name__!r}")
    return loaded
