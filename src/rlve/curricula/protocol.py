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
    """What decides the difficulty of the problems a policy sees.

    It moves in step() alone. Until then the reports of a step are counted, and their order must not
    matter: workers finish when they finish. draw() changes nothing but the random numbers.
    """

    @property
    def names(self) -> Sequence[str]:
        """The environments that are drawn from."""
        ...

    def draw(self, rng: Random) -> tuple[str, int]:
        """The environment and the difficulty of the next problem."""
        ...

    def observe_group(
        self, name: str, difficulty: int, correct: Sequence[bool], rewards: Sequence[float]
    ) -> None:
        """Count the rollouts of one problem, also of one that dynamic sampling throws away.

        For each rollout: whether it was correct, and what it was worth in training.
        """
        ...

    def step(self) -> list[Change]:
        """Close a training step: move what is due, and say what moved."""
        ...

    def bounds(self, name: str) -> tuple[int, int]:
        """The present range (low, high) of an environment; what is below is left behind."""
        ...

    def state_dict(self) -> dict[str, Any]:
        """What load_state_dict needs to go on exactly from here, as small plain JSON."""
        ...

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from a state of a curriculum over the same environments."""
        ...


class OneByOne:
    """Rollouts may also be reported one at a time, by whoever has no groups."""

    def observe(self: Curriculum, name: str, difficulty: int, correct: bool) -> None:
        """Count one rollout."""
        self.observe_group(name, difficulty, [correct], [float(correct)])


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """The names of a curriculum: at least one, and each only once."""
    listed = tuple(names)
    if not listed:
        raise UserError("a curriculum needs at least one environment")
    for name in listed:
        if listed.count(name) > 1:
            raise UserError(f"the environment {name!r} is listed more than once")
    return listed


def highest_levels(names: Iterable[str]) -> dict[str, int | None]:
    """The highest difficulty of each environment; None where there is no end."""
    return {name: environment(name).max_difficulty for name in names}


def unknown(name: str) -> UserError:
    """The error for a name that the curriculum does not have."""
    return UserError(f"the curriculum has no environment named {name!r}")


def check_number(what: str, value: float, low: float, high: float) -> None:
    """Raise a UserError unless low < value <= high."""
    if not low < value <= high:
        raise UserError(f"{what} is above {low:g} and at most {high:g}, not {value!r}")


def check_count(what: str, value: int, of: str) -> None:
    """Raise a UserError unless the value is at least 1."""
    if value < 1:
        raise UserError(f"{what} is a number of {of}, at least 1, not {value!r}")
