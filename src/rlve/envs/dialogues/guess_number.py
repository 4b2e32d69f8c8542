from collections.abc import Sequence
from random import Random
from typing import Self

from rlve import Level
from rlve.answers import integer
from rlve.dialogue import Dialogue, Player
from rlve.rewards import RIGHT


class GuessNumber(Dialogue[int]):
    """Guess a number that may be higher or lower, told by somebody who may lie now and then."""

    N: int
    lies: int
    secret: int
    lies_at: list[int]  # the guesses, counted from 0, whose replies are lies

    guessable = (
        "Any number that is still possible cuts the range: drawn at random, it wins in 74% at "
        "d = 0, 70% at d = 1 and 58% at d = 3, where halving exactly needs all the guesses, and in "
        "61% at d = 6 and 48% at d = 10, where lies often come too late to matter."
    )

    template = """
        I am thinking of an integer from 1 to {N}. Guess it. I say `higher` if my number is higher
        than your guess, and `lower` if it is lower. {honesty} If your guess is right, you have won.

        Output format: one integer, your guess.
        """

    def opening(self) -> str:
        lies = (
            f"At most {self.lies} of these replies may be {'a lie' if self.lies == 1 else 'lies'}."
        )
        return self.fill(honesty=lies if self.lies else "I never lie.")

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 10 * 2**d, "lies": d // 4}]

    @classmethod
    def sample(cls, rng: Random, N: int, lies: int) -> Self:
        lies_at = sorted(rng.sample(range(needed(N, lies)), lies))
        return cls(N=N, lies=lies, secret=rng.randint(1, N), lies_at=lies_at)

    @property
    def turns(self) -> int:
        return needed(self.N, self.lies)

    def parse(self, text: str) -> int:
        return integer(text)

    def reply(self, moves: Sequence[int]) -> str | float:
        if moves[-1] == self.secret:
            return RIGHT
        honest = len(moves) - 1 not in self.lies_at
        return "higher" if (self.secret > moves[-1]) == honest else "lower"

    def play(self) -> Player:
        """Halve the range, and believe a reply once it cannot be a lie."""
        low, high, lies = 1, self.N, self.lies
        while True:
            middle = (low + high) // 2
            said = {"higher": 0, "lower": 0}
            while max(said.values()) <= lies:
                said[(yield str(middle))] += 1
            lies -= min(said.values())
            if said["higher"] > said["lower"]:
                low = middle + 1
            else:
                high = middle - 1


def needed(N: int, lies: int) -> int:
    """The guesses that always suffice: each half is confirmed once more than there can be lies."""
    return N.bit_length() * (lies + 1) + lies
