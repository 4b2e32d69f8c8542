"""Static ranges of difficulty, which Algorithm 1 is compared with."""

from collections.abc import Iterable
from random import Random
from typing import Any, cast

from rlve.curricula.protocol import Change, check_names, distinct
from rlve.errors import UserError
from rlve.registry import environment


class StaticCurriculum:
    """The range [low, high] for every environment, for ever.

    An environment whose max_difficulty is below `high` is drawn up to its max_difficulty.
    """

    def __init__(self, names: Iterable[str], low: int, high: int) -> None:
        if not 0 <= low <= high:
            raise UserError(f"a range needs 0 <= low <= high, not [{low}, {high}]")
        self.names = distinct(names)
        self._high: dict[str, int] = {}
        for name in self.names:
            highest = environment(name).max_difficulty
            if highest is not None and highest < low:
                raise UserError(f"the highest difficulty of {name} is {highest}, below {low}")
            self._high[name] = high if highest is None else min(high, highest)
        self.low = low
        self.high = high

    def draw(self, rng: Random) -> tuple[str, int]:
        name = rng.choice(self.names)
        return name, rng.randint(*self.bounds(name))

    def observe(self, name: str, difficulty: int, correct: bool) -> None:
        self.bounds(name)  # an unknown name is an error here, too

    def step(self) -> list[Change]:
        return []

    def bounds(self, name: str) -> tuple[int, int]:
        try:
            return self.low, self._high[name]
        except KeyError:
            raise UserError(f"the curriculum has no environment named {name!r}") from None

    def state_dict(self) -> dict[str, Any]:
        return {"static": {"low": self.low, "high": self.high, "names": list(self.names)}}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        known = cast(dict[str, Any], state.get("static", {}))
        if (known.get("low"), known.get("high")) != (self.low, self.high):
            raise UserError(f"not the state of a static curriculum over [{self.low}, {self.high}]")
        check_names(self.names, known.get("names", ()))
