"""Layers on top of a curriculum: other curricula that change some of its draws."""

from collections.abc import Sequence
from random import Random
from typing import Any, ClassVar

from rlve.curricula.protocol import Change, Curriculum, SingleRollouts
from rlve.curricula.states import read_state, write_state


class Layer(SingleRollouts):
    """A curriculum on top of another, which it changes only where a method is overridden.

    It has no state of its own.
    """

    kind: ClassVar[str]

    def __init__(self, inner: Curriculum) -> None:
        self.inner = inner

    @property
    def names(self) -> Sequence[str]:
        return self.inner.names

    def draw(self, rng: Random) -> tuple[str, int]:
        return self.inner.draw(rng)

    def observe_group(
        self, name: str, difficulty: int, correct: Sequence[bool], rewards: Sequence[float]
    ) -> None:
        self.inner.observe_group(name, difficulty, correct, rewards)

    def step(self) -> list[Change]:
        return self.inner.step()

    def bounds(self, name: str) -> tuple[int, int]:
        return self.inner.bounds(name)

    def state_dict(self) -> dict[str, Any]:
        return write_state(self.kind, self.inner.state_dict())

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.inner.load_state_dict(read_state(state, self.kind, dict[str, Any]))
