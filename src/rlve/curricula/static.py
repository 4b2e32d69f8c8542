"""Static ranges of difficulty, to compare with Algorithm 1."""

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

import msgspec

from rlve.curricula.protocol import Change, OneByOne, distinct, highest_levels, unknown
from rlve.curricula.states import of_names, sealed, unsealed
from rlve.errors import UserError

KIND = "static"


class _Static(msgspec.Struct):
    low: int
    high: int
    names: list[str]


class StaticCurriculum(OneByOne):
    """The range [low, high] for every environment; it never moves.

    An environment whose max_difficulty is below `high` is drawn up to its max_difficulty.
    """

    def __init__(self, names: Iterable[str], low: int, high: int) -> None:
        if not 0 <= low <= high:
            raise UserError(f"a range needs 0 <= low <= high, not [{low}, {high}]")
        self.names = distinct(names)
        self._high: dict[str, int] = {}
        for name, highest in highest_levels(self.names).items():
            if highest is not None and highest < low:
                raise UserError(f"the highest difficulty of {name} is {highest}, below {low}")
            self._high[name] = high if highest is None else min(high, highest)
        self.low = low
        self.high = high

    def draw(self, rng: Random) -> tuple[str, int]:
        name = rng.choice(self.names)
        return name, rng.randint(*self.bounds(name))

    def observe_group(
        self, name: str, difficulty: int, correct: Sequence[bool], rewards: Sequence[float]
    ) -> None:
        self.bounds(name)  # raises an error for an unknown name

    def step(self) -> list[Change]:
        return []

    def bounds(self, name: str) -> tuple[int, int]:
        try:
            return self.low, self._high[name]
        except KeyError:
            raise unknown(name) from None

    def state_dict(self) -> dict[str, Any]:
        return sealed(KIND, _Static(self.low, self.high, list(self.names)))

    def load_state_dict(self, state: dict[str, Any]) -> None:
        loaded = unsealed(state, KIND, _Static)
        if (loaded.low, loaded.high) != (self.low, self.high):
            raise UserError(
                f"this is not the state of a static curriculum over [{self.low}, {self.high}]"
            )
        of_names(self.names, dict.fromkeys(loaded.names))
