"""An environment so small that a test can train a fresh model on it.

It is apart from the model, so that workers of a pool need not import torch for it.
"""

from random import Random
from typing import Self

import rlve
from rlve.answers import integer
from rlve.rewards import closeness


class Successor(rlve.Environment[int]):
    """Say which digit comes after a given one, counting on from 9 to 0."""

    N: int
    digit: int
    reference_answer: int

    template = "{digit} Output format: one digit."

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [{"N": d + 4}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        digit = rng.randrange(min(N, 10))
        return cls(N=N, digit=digit, reference_answer=(digit + 1) % 10)

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 2
