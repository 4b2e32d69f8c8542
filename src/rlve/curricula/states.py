"""The saved states of curricula: plain JSON, {"version": 1, KIND: {...}}."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar

import msgspec

from rlve.errors import UserError

VERSION: Final = 1

T = TypeVar("T")


def write_state(kind: str, content: object) -> dict[str, Any]:
    """The state of a curriculum of that kind."""
    return {"version": VERSION, kind: msgspec.to_builtins(content)}


def read_state(state: Mapping[str, Any], kind: str, record: type[T]) -> T:
    """The content of a state; a UserError if it is of another kind or version, or damaged."""
    if kind not in state:
        kinds = [key for key in state if key != "version"]
        raise UserError(
            f"this is not the state of a curriculum of the kind {kind!r}: "
            + (f"its kind is {kinds[0]!r}" if kinds else "it is empty")
        )
    version = state.get("version")
    if version != VERSION:
        raise UserError(
            f"the state of the curriculum has version {version!r}, but this rlve reads version "
            f"{VERSION}; resume it with the rlve that wrote it"
        )
    try:
        return msgspec.convert(state[kind], record)
    except msgspec.ValidationError as error:
        raise UserError(
            f"this is not the state of a curriculum of the kind {kind!r}: {error}"
        ) from None


def of_names(names: Iterable[str], records: Mapping[str, T]) -> dict[str, T]:
    """The records of a state in the order of the names, which must be the same ones."""
    expected = list(names)
    missing, extra = sorted({*expected} - {*records}), sorted({*records} - {*expected})
    if missing or extra:
        raise UserError(
            "the state belongs to a curriculum over other environments: "
            f"missing {missing or 'none'}, unexpected {extra or 'none'}"
        )
    return {name: records[name] for name in expected}
