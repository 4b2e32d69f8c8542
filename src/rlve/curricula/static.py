"""Static ranges of difficulty, to compare with Algorithm 1."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from rlve.curricula.protocol import Change, check_drawn
from rlve.curricula.ranges import RangeCurriculum
from rlve.curricula.states import of_names, read_state, write_state
from rlve.errors import UserError
from rlve.foundation.limits import AtLeastZero, check_limit


class _Static(msgspec.Struct):
    low: int
    high: int
    names: list[str]


class StaticCurriculum(RangeCurriculum[None]):
    """The range [low, high] for every environment; it never moves.

    An environment whose max_difficulty is below `high` is drawn up to its max_difficulty.
    """

    kind = "static"
    record = type(None)

    def __init__(self, names: Iterable[str], low: int, high: int) -> None:
        check_limit("low", low, AtLeastZero)
        if low > high:
            raise UserError(f"a range needs low <= high, not [{low}, {high}]")
        super().__init__(names)
        for name, highest in self._highest.items():
            if highest is not None and highest < low:
                raise UserError(f"the highest difficulty of {name} is {highest}, below {low}")
        self.low = low
        self.high = high

    def observe_group(
        self, name: str, difficulty: int, correct: Sequence[bool], rewards: Sequence[float]
    ) -> None:
        check_drawn(name, difficulty, self.bounds(name)[1])  # also that it is known

    def step(self) -> list[Change]:
        return []

    def bounds(self, name: str) -> tuple[int, int]:
        self._of(name)
        highest = self._highest[name]
        return self.low, self.high if highest is None else min(self.high, highest)

    def state_dict(self) -> dict[str, Any]:
        return write_state(self.kind, _Static(self.low, self.high, list(self.names)))

    def load_state_dict(self, state: dict[str, Any]) -> None:
        loaded = read_state(state, self.kind, _Static)
        if (loaded.low, loaded.high) != (self.low, self.high):
            raise UserError(
                f"this is not the state of a static curriculum over [{self.low}, {self.high}]"
            )
        of_names(self.names, dict.fromkeys(loaded.names))
