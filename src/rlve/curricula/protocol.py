"""What a curriculum is: it decides which environment and which difficulty come next."""

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any, Protocol

import msgspec

from rlve.errors import UserError


class Change(msgspec.Struct, frozen=True):
    """An environment whose range moved at the end of a training step."""

    name: str
    low: int
    high: int
    accuracy: float  # at the level that was mastered, high - 1


class Curriculum(Protocol):
    """What decides the difficulty of the problems a policy sees."""

    @property
    def names(self) -> Sequence[str]:
        """The environments that are drawn from."""
        ...

    def draw(self, rng: Random) -> tuple[str, int]:
        """The environment and the difficulty of the next problem."""
        ...

    def observe(self, name: str, difficulty: int, correct: bool) -> None:
        """Count one rollout, also one that dynamic sampling throws away."""
        ...

    def step(self) -> list[Change]:
        """Close a training step: move what is due, and say what moved."""
        ...

    def bounds(self, name: str) -> tuple[int, int]:
        """The present range (low, high) of an environment."""
        ...

    def state_dict(self) -> dict[str, Any]:
        """What load_state_dict needs to go on exactly from here, as small plain JSON."""
        ...

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from a state of a curriculum over the same environments."""
        ...


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    listed = tuple(names)
    if not listed:
        raise UserError("a curriculum needs at least one environment")
    for name in listed:
        if listed.count(name) > 1:
            raise UserError(f"the environment {name!r} is listed more than once")
    return listed


def check_names(expected: Iterable[str], found: Iterable[str]) -> None:
    missing, extra = sorted({*expected} - {*found}), sorted({*found} - {*expected})
    if missing or extra:
        raise UserError(
            "the state belongs to a curriculum over other environments: "
            f"it lacks {missing or 'none'} and has {extra or 'none'} too many"
        )
