"""The saved states of curricula: what they look like, and what is refused.

A state is plain JSON: {"version": 1, KIND: {...}}. It comes from a file that somebody may have
edited, cut or mixed up, and a run that goes on from an impossible one goes wrong without a word.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final, TypeVar

import msgspec

from rlve.errors import UserError

VERSION: Final = 1

Natural = Annotated[int, msgspec.Meta(ge=0)]
"""0, 1, 2, ..."""
NonNegative = Annotated[float, msgspec.Meta(ge=0, le=1e15)]
"""A number that is not negative."""
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
"""A number from 0 to 1."""

T = TypeVar("T")


def sealed(kind: str, content: object) -> dict[str, Any]:
    """The state of a curriculum of that kind."""
    return {"version": VERSION, kind: msgspec.to_builtins(content)}


def unsealed(state: Mapping[str, Any], kind: str, record: type[T]) -> T:
    """The content of a state; a UserError if it is of another kind or version, or damaged."""
    version = state.get("version", VERSION)  # states of rlve 0.1 carry none, and are the same
    if version != VERSION:
        raise UserError(
            f"the state of the curriculum has version {version!r}, and this rlve reads version "
            f"{VERSION}: go on with the rlve that wrote it"
        )
    if kind not in state:
        found = [key for key in state if key != "version"]
        raise UserError(
            f"not the state of a curriculum of the kind {kind!r}: "
            + (f"it is of the kind {found[0]!r}" if found else "it is empty")
        )
    try:
        return msgspec.convert(state[kind], record)
    except msgspec.ValidationError as error:
        raise UserError(f"not the state of a curriculum of the kind {kind!r}: {error}") from None


def of_names(names: Iterable[str], found: Mapping[str, T]) -> dict[str, T]:
    """The records of a state in the order of the names, which must be the same ones."""
    expected = list(names)
    missing, extra = sorted({*expected} - {*found}), sorted({*found} - {*expected})
    if missing or extra:
        raise UserError(
            "the state belongs to a curriculum over other environments: "
            f"it lacks {missing or 'none'} and has {extra or 'none'} too many"
        )
    return {name: found[name] for name in expected}


def check_range(name: str, low: int, high: int, highest: int | None) -> None:
    """Refuse a range that no curriculum can have come to."""
    if not 0 <= low <= high:
        raise impossible(name, f"its range is [{low}, {high}]")
    if highest is not None and high > highest:
        raise impossible(name, f"its range ends at {high}, above its highest difficulty {highest}")


def check_counts(name: str, correct: float, total: float) -> None:
    """Refuse more correct rollouts than rollouts."""
    if correct > total:
        raise impossible(name, f"{correct:g} of {total:g} rollouts were correct")


def impossible(name: str, what: str) -> UserError:
    """The error for a state that cannot be."""
    return UserError(f"the state of the curriculum cannot be: of {name}, {what}")
