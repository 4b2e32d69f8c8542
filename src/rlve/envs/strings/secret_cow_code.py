from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.errors import Unparseable
from rlve.levels import grow
from rlve.rewards import exact
from rlve.work import Work

LETTERS = "abcdefghijklmnopqrstuvwxyz"


class SecretCowCode(Environment[str]):
    """Find a letter of the endless string made by appending rotated copies."""

    MAX_N: int
    MAX_K: int
    S: str
    K: int
    reference_answer: str

    max_difficulty = 70  # at 90, a prompt exceeds 32,000 characters

    template = """
        For a string s, let rot(s) be s with its last letter moved to the front, and let F(s) be s
        followed by rot(s). For example, rot(xyz) is zxy, and F(xyz) is xyzzxy.

        As F(s) starts with s, applying F again and again to the string

        {S}

        gives longer and longer beginnings of one endless string. What is letter number {K} of this
        endless string, if its first letter is number 1?

        Output format: one lowercase letter.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": grow(5, d), "MAX_K": 8 * 2**d}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int, MAX_K: int) -> Self:
        S = "".join(rng.choices(LETTERS, k=rng.randint(2, MAX_N)))
        K = rng.randint(len(S) + 1, MAX_K)
        return cls(MAX_N=MAX_N, MAX_K=MAX_K, S=S, K=K, reference_answer=letter_at(S, K))

    def parse(self, text: str) -> str:
        if len(text) != 1 or text not in self.S:
            raise Unparseable("not a letter of the given string")
        return text

    def score(self, answer: str) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield "rot(s) begins with the last letter of s, then letter t is letter t - 1 of s."
        lengths = [len(self.S)]
        while lengths[-1] < self.K:
            lengths.append(2 * lengths[-1])
        yield "Lengths: " + ", ".join(
            [f"{lengths[0]}", *(f"2 * {half} = {2 * half}" for half in lengths[:-1])]
        )
        index = self.K
        for half in reversed(lengths[:-1]):
            if index <= half:
                yield f"Letter {index} is in the first {half}"
                continue
            place = index - half
            text = f"Letter {index}: {index} - {half} = {place} in rot of the first {half}"
            index = place - 1 or half
            yield (
                f"{text}, so it is letter {index}"
                if place == 1
                else f"{text}, {place} - 1 = {index}"
            )
        yield f"Letter {index} of {self.S} is {self.S[index - 1]}"
        return self.S[index - 1]


def letter_at(S: str, K: int) -> str:
    """Trace the letter back to the half from which it was copied, until it is in S."""
    index, half = K, len(S)
    while 2 * half < index:
        half *= 2
    while half >= len(S):
        if index > half:
            index = half if index == half + 1 else index - half - 1
        half //= 2
    return S[index - 1]
