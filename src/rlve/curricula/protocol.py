"""What a curriculum is: it decides which environment and which difficulty come next."""

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any, Protocol

import msgspec

from rlve.errors import UserError
from rlve.registry import environment


class Change(msgspec.Struct, frozen=True):
    """An environment whose range moved at the end of a training step."""

    name: str
    low: int
    high: int
    accuracy: float  # at the highest level before it moved


class Curriculum(Protocol):
    """Decides the difficulty of the problems a policy sees.

    It only moves in step(). Until then the reports of a step are counted, and their order must not
    matter, since workers finish in any order. draw() changes nothing but the state of `rng`.
    """

    @property
    def names(self) -> Sequence[str]:
        """The environments to draw from."""
        ...

    def draw(self, rng: Random) -> tuple[str, int]:
        """The environment and the difficulty of the next problem."""
        ...

    def observe_group(
        self, name: str, difficulty: int, correct: Sequence[bool], rewards: Sequence[float]
    ) -> None:
        """Count the rollouts of one problem, even one that dynamic sampling throws away.

        For each rollout that could be judged: whether it was correct, and its reward in training.
        If none could, both are empty.
        """
        ...

    def step(self) -> list[Change]:
        """End a training step: move the ranges that are due, and return those that moved."""
        ...

    def bounds(self, name: str) -> tuple[int, int]:
        """The present range (low, high) of an environment; levels below it are left behind."""
        ...

    def state_dict(self) -> dict[str, Any]:
        """Everything load_state_dict needs to continue exactly from here, as small plain JSON."""
        ...

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from a state of a curriculum over the same environments."""
        ...


class OneByOne:
    """Lets callers without groups report rollouts one at a time."""

    def observe(self: Curriculum, name: str, difficulty: int, correct: bool) -> None:
        """Count one rollout."""
        self.observe_group(name, difficulty, [correct], [float(correct)])


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """The names of a curriculum: at least one, without repetitions."""
    listed = tuple(names)
    if not listed:
        raise UserError("a curriculum needs at least one environment")
    for name in listed:
        if listed.count(name) > 1:
            raise UserError(f"the environment {name!r} is listed more than once")
    return listed


def highest_levels(names: Iterable[str]) -> dict[str, int | None]:
    """The highest difficulty of each environment; None if there is no limit."""
    return {name: environment(name).max_difficulty for name in names}


def check_number(what: str, value: float, low: float, high: float) -> None:
    """Raise a UserError unless low < value <= high."""
    if not low < value <= high:
        raise UserError(f"{what} must be above {low:g} and at most {high:g}, not {value!r}")


def check_count(what: str, value: int, of: str) -> None:
    """Raise a UserError unless the value is at least 1."""
    if value < 1:
        raise UserError(f"{what} must be a number of {of}, at least 1, not {value!r}")
