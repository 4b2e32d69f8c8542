"""What a curriculum is: it decides which environment and which difficulty come next."""

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any, Final, Protocol, TypeAlias

import msgspec

from rlve.errors import UserError
from rlve.registry import environment

Range: TypeAlias = tuple[int, int]
DRAWS: Final = 8  # that are compared, to see whether drawing changes anything


class Change(msgspec.Struct, frozen=True):
    """An environment whose range moved at the end of a training step."""

    name: str
    low: int
    high: int
    accuracy: float | None = None  # at the highest level before it moved, if that decided


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
        """End a training step: move the ranges that are due, and return all that moved."""
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


class SingleRollouts:
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


def check_drawn(name: str, difficulty: int, high: int) -> None:
    """Raise a UserError for a difficulty of which no problem can have been drawn."""
    if not 0 <= difficulty <= high:
        raise UserError(f"no problem of {name} was drawn at difficulty {difficulty}; h is {high}")


def highest_levels(names: Iterable[str]) -> dict[str, int | None]:
    """The highest difficulty of each environment; None if there is no limit."""
    return {name: environment(name).max_difficulty for name in names}


def check_draw(curriculum: Curriculum) -> None:
    """Raise a UserError if drawing changes the curriculum.

    Problems are drawn ahead, and drawn again when a run is resumed, so a draw may depend on the
    random numbers it is given and on step(), and on nothing else.
    """
    before = msgspec.json.encode(curriculum.state_dict())
    first, again = ([curriculum.draw(Random(seed)) for seed in range(DRAWS)] for _ in range(2))
    if first != again or msgspec.json.encode(curriculum.state_dict()) != before:
        raise UserError(
            f"{type(curriculum).__name__}.draw() changes the curriculum: it may be called for "
            "problems that are never given out, so only step() may change what is drawn"
        )


def check_changes(
    before: Mapping[str, Range], after: Mapping[str, Range], changes: Iterable[Change]
) -> None:
    """Raise a UserError if the range of an environment moved and step() did not say so."""
    told = {change.name for change in changes}
    for name, bounds in after.items():
        if bounds != before[name] and name not in told:
            raise UserError(
                f"step() moved the range of {name} from {before[name]} to {bounds} and did not say "
                "so: return a rlve.Change for every range that moved"
            )
