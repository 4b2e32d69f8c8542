"""What curricula with a range of difficulties for each environment share."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from random import Random
from typing import Any, ClassVar, Generic, TypeVar

from rlve.curricula.protocol import SingleRollouts, distinct, highest_levels
from rlve.curricula.states import of_names, read_state, write_state
from rlve.errors import UserError

Variables = TypeVar("Variables")
"""What is known about an environment: a record that is plain JSON."""


class RangeCurriculum(SingleRollouts, ABC, Generic[Variables]):
    """Draws an environment uniformly, and a difficulty uniformly from its range."""

    kind: ClassVar[str]
    record: type[Variables]

    def __init__(self, names: Iterable[str]) -> None:
        self.names = distinct(names)
        self._highest = highest_levels(self.names)
        self._variables = {name: self.record() for name in self.names}

    @abstractmethod
    def bounds(self, name: str) -> tuple[int, int]:
        """The present range (low, high) of an environment."""

    def draw(self, rng: Random) -> tuple[str, int]:
        name = rng.choice(self.names)
        return name, rng.randint(*self.bounds(name))

    def state_dict(self) -> dict[str, Any]:
        return write_state(self.kind, self._variables)

    def load_state_dict(self, state: dict[str, Any]) -> None:
        loaded = read_state(state, self.kind, dict[str, self.record])
        self._variables = of_names(self.names, loaded)

    def _of(self, name: str) -> Variables:
        try:
            return self._variables[name]
        except KeyError:
            raise UserError(f"the curriculum has no environment named {name!r}") from None
