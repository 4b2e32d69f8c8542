"""Layers on top of a curriculum: other curricula that change some of its draws."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, ClassVar

import msgspec

from rlve.curricula.protocol import Change, Curriculum, OneByOne
from rlve.curricula.states import seal, unseal

TRIES = 1000  # draws after which the next is accepted as it is


class _Saved(msgspec.Struct):
    own: dict[str, Any]
    inner: dict[str, Any]


class Layer(OneByOne):
    """A curriculum on top of another, which it changes only where a method is overridden."""

    kind: ClassVar[str]

    def __init__(self, inner: Curriculum) -> None:
        self.inner = inner

    @property
    def names(self) -> Sequence[str]:
        return self.inner.names

    @property
    def resting(self) -> list[str]:
        """The environments that are rarely drawn at present."""
        return self.inner.resting if isinstance(self.inner, Layer) else []

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
        return seal(self.kind, _Saved(self.own_state(), self.inner.state_dict()))

    def load_state_dict(self, state: dict[str, Any]) -> None:
        saved = unseal(state, self.kind, _Saved)
        self.load_own(saved.own)
        self.inner.load_state_dict(saved.inner)

    def own_state(self) -> dict[str, Any]:
        """The state of this layer alone."""
        return {}

    def load_own(self, state: dict[str, Any]) -> None:
        """Restore the state of this layer alone."""


def draw_if(
    draw: Callable[[Random], tuple[str, int]], chance: Callable[[str], float], rng: Random
) -> tuple[str, int]:
    """Draw until a draw is accepted, with the probability that `chance` gives its environment."""
    for _ in range(TRIES):
        name, difficulty = draw(rng)
        probability = chance(name)
        if probability >= 1 or rng.random() < probability:
            return name, difficulty
    return draw(rng)
