from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.errors import Unparseable
from rlve.levels import grow
from rlve.rewards import exact

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
