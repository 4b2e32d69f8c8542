from math import comb
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import letters
from rlve.rewards import INVALID, ratio


class Kth_SemiBalancedBracketSequence(Environment[str]):
    """Find the bracket sequence of a given rank among those that are one bracket off balance.

    A string of other characters is ill-formed, with the published reward of -0.5.
    """

    N: int  # odd
    K: int
    reference_answer: str

    max_difficulty = 800  # at 955, generating a problem takes too long

    template = """
        A string of the characters ( and ) is balanced if it has as many ( as ), and no prefix of it
        has more ) than (. The empty string is balanced. A string is semi-balanced if deleting
        exactly one suitable character from it leaves a balanced string.

        List all semi-balanced strings of exactly {N} characters in lexicographic order, where
        ( comes before ).

        Which string is number {K} in this list, if the first one is number 1?

        Output format: one line with this string of {N} characters.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + 2 * d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        K = rng.randint(1, completions(N, 0, 0))
        return cls(N=N, K=K, reference_answer=kth_semi_balanced(N, K))

    def parse(self, text: str) -> str:
        return letters(text, "()", reward=INVALID)

    def score(self, answer: str) -> float:
        if len(answer) != self.N:
            return INVALID
        right = sum(x == y for x, y in zip(answer, self.reference_answer, strict=True))
        return ratio(right, self.N) ** 5


def kth_semi_balanced(N: int, K: int) -> str:
    """The K-th semi-balanced string, by the heights of prefixes: how far ( outnumbers ).

    A string is semi-balanced if its heights never fall below 0 and end at 1, where one ( can go, or
    if they never fall below -1 and end at -1, where one ) can go.
    """
    characters: list[str] = []
    height = lowest = 0
    rank = K - 1
    while len(characters) < N:
        opened = completions(N - len(characters) - 1, height + 1, lowest)
        if rank < opened:
            characters.append("(")
            height += 1
        else:
            rank -= opened
            characters.append(")")
            height -= 1
            lowest = min(lowest, height)
    return "".join(characters)


def completions(length: int, height: int, lowest: int) -> int:
    """How many strings of this length make a prefix of these heights semi-balanced."""
    count = paths(length, height + 1, 0) if lowest >= -1 else 0
    return count + (paths(length, height, 1) if lowest >= 0 else 0)


def paths(length: int, start: int, end: int) -> int:
    """How many paths of +1 and -1 lead from start to end without falling below 0 (reflection)."""
    rise = length + end - start
    if start < 0 or rise < 0 or rise % 2:
        return 0
    return comb(length, rise // 2) - comb(length, rise // 2 + start + 1)
