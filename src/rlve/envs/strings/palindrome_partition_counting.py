from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.strings import PalindromicTree, is_palindrome
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.sampling.strings import random_string
from rlve.text import spaced
from rlve.work import Work, show_sum


class PalindromePartitionCounting(Environment[int]):
    """Count the ways to cut a binary string into palindromes."""

    N: int
    S: str
    reference_answer: int

    max_difficulty = 50  # at 65, answers are too long to parse

    template = """
        Here is a string S of {N} digits, each 0 or 1:

        {S}

        In how many ways can S be cut into consecutive non-empty pieces that are all palindromes?
        A palindrome reads the same forwards and backwards. The number of pieces is free, and one
        piece, S itself, is allowed if it is a palindrome. Two ways are different if they cut at
        different positions.

        Output format: one integer, the number of ways.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(5, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        S = random_string(rng, N, rng.randint(1, 9) / 10)
        return cls(N=N, S=S, reference_answer=count_partitions(S))

    def parse(self, text: str) -> int:
        return integer(text, low=1)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield "w[j] is the number of ways for the first j digits; w[0] = 1. If the last piece"
        yield "starts after digit i (for i = 0, at the beginning), there are w[i] ways. Add these"
        yield "up over all palindromes that end at digit j."
        ways = [1]
        for end in range(1, self.N + 1):
            starts = [i for i in range(end) if is_palindrome(self.S[i:end])]
            ways.append(sum(ways[i] for i in starts))
            shown = ", ".join(f"{spaced(self.S[i:end])} after {i}" for i in starts)
            yield f"w[{end}]: {shown}; {show_sum(ways[i] for i in starts)}"
        return str(ways[-1])


def count_partitions(S: str) -> int:
    tree = PalindromicTree(S)
    ways = [1]  # of each prefix
    for end in range(1, len(S) + 1):
        lasts = tree.suffixes(tree.longest[end])
        ways.append(sum(ways[end - tree.length[last]] for last in lasts))
    return ways[-1]
