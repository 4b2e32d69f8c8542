from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.strings import PalindromicTree, is_palindrome
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.sampling.strings import random_string
from rlve.text import spaced
from rlve.work import Work, find_best


class Longest_DoublePalindrome(Environment[list[int]]):
    """Find a longest substring made of two palindromes, one after the other.

    A string of one repeated digit, for which every B is right, is redrawn.
    """

    N: int
    S: str
    gold_answer: int  # the largest length

    max_difficulty = 70  # at 85, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right

    template = """
        Here is a string S of {N} digits, each 0 or 1, numbered from 0 to {last}:

        {S}

        Find integers A, B and C with 0 <= A < B < C <= {N} such that the substrings S[A..B-1] and
        S[B..C-1] are both palindromes: each reads the same forwards and backwards. One digit alone
        is a palindrome. (S[i..j] consists of the digits i, i+1, ..., j of S.)
        Make C - A as large as possible.
        If several choices are best, any of them is right.

        Output format: one line with the integers A, B and C, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(5, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        S = prefer(lambda: string_with_palindromes(rng, N), lambda text: len(set(text)) > 1)
        A, _, C = longest_double_palindrome(S)
        return cls(N=N, S=S, gold_answer=C - A)

    def parse(self, text: str) -> list[int]:
        return integers(text, count=3)

    def score(self, answer: list[int]) -> float:
        A, B, C = answer
        if not 0 <= A < B < C <= self.N:
            return INVALID
        if not (is_palindrome(self.S[A:B]) and is_palindrome(self.S[B:C])):
            return INVALID
        return ratio(C - A, self.gold_answer) ** 5

    def reference(self) -> str:
        return spaced(longest_double_palindrome(self.S))

    def work(self) -> Work[str | None]:
        if self.N > 300:
            return None  # a line for each B would be too much
        yield "For each B, take the longest palindromes that end just before B and that start at B."
        spans: list[tuple[int, int, int]] = []
        cases: list[tuple[str, int]] = []
        for b in range(1, self.N):
            a = next(a for a in range(b) if is_palindrome(self.S[a:b]))
            c = next(c for c in range(self.N, b, -1) if is_palindrome(self.S[b:c]))
            spans.append((a, b, c))
            parts = f"{spaced(self.S[a:b])} and {spaced(self.S[b:c])}"
            cases.append((f"B = {b}: {parts}, {b - a} + {c - b} = {c - a}", c - a))
        a, b, c = spans[(yield from find_best(cases))]
        yield f"A = {b} - {b - a} = {a}, B = {b}, C = {b} + {c - b} = {c}"
        return f"{a} {b} {c}"


def string_with_palindromes(rng: Random, N: int) -> str:
    """Two palindromes in a row somewhere among other digits."""
    chance = rng.uniform(0.1, 0.9)
    start, middle, end = sorted(rng.sample(range(N + 1), 3))
    return (
        random_string(rng, start, chance)
        + random_palindrome(rng, middle - start, chance)
        + random_palindrome(rng, end - middle, chance)
        + random_string(rng, N - end, chance)
    )


def random_palindrome(rng: Random, length: int, chance: float) -> str:
    first = random_string(rng, (length + 1) // 2, chance)
    return first + first[: length // 2][::-1]


def longest_double_palindrome(S: str) -> tuple[int, int, int]:
    """Join the longest palindromes on either side of each B."""
    before, after = longest_endings(S), longest_endings(S[::-1])[::-1]
    B = max(range(1, len(S)), key=lambda i: before[i] + after[i])
    return B - before[B], B, B + after[B]


def longest_endings(S: str) -> list[int]:
    """For each prefix of S, the length of the longest palindrome it ends with."""
    tree = PalindromicTree(S)
    return [tree.length[palindrome] for palindrome in tree.longest]
