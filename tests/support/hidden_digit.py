"""A dialogue so small that a test can train a fresh model on it."""

from collections.abc import Sequence
from random import Random
from typing import Self

import rlve
from rlve.answers import integer
from rlve.dialogue import Player


class HiddenDigit(rlve.Dialogue[int]):
    """Find a digit; what is said to a guess is 1 if it is larger, and 0 if it is smaller."""

    N: int
    digit: int

    template = "{N} Output format: one digit."
    turns = 3

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [{"N": min(d + 2, 9)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        return cls(N=N, digit=rng.randrange(N + 1))

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def reply(self, moves: Sequence[int]) -> str | float:
        return 1.0 if moves[-1] == self.digit else str(int(self.digit > moves[-1]))

    def play(self) -> Player:
        yield str(self.digit)
