from collections.abc import Sequence
from random import Random
from typing import Self

from rlve import Level
from rlve.answers import integers
from rlve.dialogue import Dialogue, Player, numbers_in
from rlve.rewards import RIGHT
from rlve.text import spaced

BLANK = 0


class BullsAndCows(Dialogue[list[int]]):
    """Find a secret code from how many symbols of each guess are right."""

    P: int
    K: int
    code: list[int]

    template = """
        I have a secret code of {P} different integers, each from 1 to {K}. A guess is {P} integers
        from 0 to {K}; they may repeat, and 0 is a blank that is never right. I reply with two
        numbers: the bulls, which are the positions where your guess and the code agree, and the
        cows, which are the integers of the code that occur in your guess, but not at the position
        where the code has them. Guess the code itself to win.

        Output format: {P} integers separated by spaces, your guess.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"P": 3 + d // 3, "K": 5 + d}]

    @classmethod
    def sample(cls, rng: Random, P: int, K: int) -> Self:
        return cls(P=P, K=K, code=rng.sample(range(1, K + 1), P))

    @property
    def turns(self) -> int:
        # One question for each integer, a search for the place of each in the code, and the code.
        return self.K + self.P * (self.P - 1).bit_length() + 1

    def parse(self, text: str) -> list[int]:
        return integers(text, count=self.P)

    def reply(self, moves: Sequence[list[int]]) -> str | float:
        guess = moves[-1]
        if guess == self.code:
            return RIGHT
        if not all(0 <= symbol <= self.K for symbol in guess):
            return f"Not allowed: the integers of a guess are from 0 to {self.K}."
        bulls = sum(a == b for a, b in zip(guess, self.code, strict=True))
        return f"bulls {bulls}, cows {len(set(guess) & set(self.code)) - bulls}"

    def play(self) -> Player:
        """Look for one integer at a time, on half of the places where it can still be."""
        known = [BLANK] * self.P
        for symbol in range(1, self.K + 1):
            places = [i for i in range(self.P) if known[i] == BLANK]
            if not places:
                break
            present = False
            while len(places) > 1 or not present:
                half = places[: (len(places) + 1) // 2]
                guess = [symbol if i in half else BLANK for i in range(self.P)]
                bulls, cows = numbers_in((yield spaced(guess)))
                if not bulls + cows:
                    break
                present = True
                places = half if bulls else [i for i in places if i not in half]
            else:
                known[places[0]] = symbol
        yield spaced(known)
