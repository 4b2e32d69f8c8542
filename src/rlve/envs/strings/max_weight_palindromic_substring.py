from collections.abc import Iterator
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.strings import PalindromicTree, is_palindrome
from rlve.answers import letters
from rlve.levels import grow
from rlve.rewards import INVALID, WRONG, ratio
from rlve.sampling.rejection import spread
from rlve.sampling.strings import random_string
from rlve.text import spaced
from rlve.work import Work, find_best


class MaxWeightPalindromicSubstring(Environment[str]):
    """Find a palindrome whose length times its number of occurrences in a string is largest.

    The palindromes found for a few draws are equally likely; otherwise aa or bb would be right too
    often. A string of other letters is ill-formed, with the published reward: 0 for a palindrome,
    otherwise -0.5.
    """

    N: int
    S: str
    gold_answer: int  # the largest product

    max_difficulty = 70  # at 85, generating a problem takes too long
    unique_up_to = None  # several answers can be right

    template = """
        Here is a string S of {N} letters, each a or b:

        {S}

        Find a non-empty palindrome T (a string that reads the same forwards and backwards) for
        which the length of T times the number of its occurrences in S is as large as possible. An
        occurrence is a position at which T starts in S as a contiguous substring; occurrences may
        overlap, and all of them count.
        If several strings are best, any of them is right.

        Output format: one line with the string T.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            S = random_string(rng, N, rng.uniform(0.3, 0.7), "ab")
            return cls(N=N, S=S, gold_answer=weight(heaviest_palindrome(S), S))

        return spread(rng, draw, by=lambda problem: problem.reference())

    def parse(self, text: str) -> str:
        return letters(text, "ab", reward=WRONG if is_palindrome(text) else INVALID)

    def score(self, answer: str) -> float:
        if not is_palindrome(answer):
            return INVALID
        return ratio(weight(answer, self.S), self.gold_answer) ** 5

    def reference(self) -> str:
        return heaviest_palindrome(self.S)

    def work(self) -> Work[str]:
        yield "List the palindromes in S by length, and where they start, counted from 1. From"
        yield "three letters on, each is a shorter one with the same letter added at both ends."
        palindromes: list[str] = []

        def cases() -> Iterator[tuple[str, int]]:
            for part in parts_by_length(self.S):
                if is_palindrome(part):
                    palindromes.append(part)
                    starts = [i + 1 for i in range(self.N) if self.S.startswith(part, i)]
                    product = len(part) * len(starts)
                    numbers = f"{len(part)} * {len(starts)} = {product}"
                    yield f"{part} at {spaced(starts)}: {numbers}", product

        return palindromes[(yield from find_best(cases()))]


def parts_by_length(S: str) -> Iterator[str]:
    """The different substrings, the shortest first."""
    for length in range(1, len(S) + 1):
        yield from dict.fromkeys(S[i : i + length] for i in range(len(S) - length + 1))


def weight(T: str, S: str) -> int:
    starts = range(len(S) - len(T) + 1)
    return len(T) * sum(S.startswith(T, i) for i in starts)


def heaviest_palindrome(S: str) -> str:
    """One with the largest product; of several, a longest."""
    tree = PalindromicTree(S)
    counts = tree.occurrences()
    return tree[
        max(range(2, len(tree)), key=lambda i: (tree.length[i] * counts[i], tree.length[i]))
    ]
