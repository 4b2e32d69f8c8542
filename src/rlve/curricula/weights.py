"""Weights: draw some environments more often than others.

A policy for scheduling puzzles may still need some others, and a family with forty environments
should not drown one with two. A weight multiplies the chance that the curriculum, whichever it is,
gives an environment.
"""

import difflib
from collections.abc import Mapping
from random import Random

from rlve.curricula.layers import Layer
from rlve.curricula.protocol import Curriculum
from rlve.errors import UserError
from rlve.foundation.limits import Positive, check_limit

TRIES = 1000  # draws after which the next is accepted as it is


class Weights(Layer):
    """Draws each environment in proportion to its weight; the default is 1."""

    kind = "weights"

    def __init__(self, inner: Curriculum, weights: Mapping[str, float]) -> None:
        super().__init__(inner)
        for name, weight in weights.items():
            if name not in inner.names:
                near = difflib.get_close_matches(name, inner.names, n=1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise UserError(f"there is a weight for {name!r}, which is not trained on{hint}")
            check_limit(f"the weight of {name}", weight, Positive)
        self.weights = {name: float(weights.get(name, 1.0)) for name in inner.names}
        self._largest = max(self.weights.values())

    def draw(self, rng: Random) -> tuple[str, int]:
        for _ in range(TRIES):
            name, difficulty = self.inner.draw(rng)
            chance = self.weights[name] / self._largest
            if chance >= 1 or rng.random() < chance:
                return name, difficulty
        return self.inner.draw(rng)
