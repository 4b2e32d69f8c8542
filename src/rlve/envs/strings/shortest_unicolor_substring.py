from itertools import groupby
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.errors import Unparseable
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import spread
from rlve.sampling.strings import random_string
from rlve.text import counted, joined, spaced
from rlve.work import Work, state


class ShortestUnicolorSubstring(Environment[str]):
    """Change a few digits of a binary string to make its longest run as short as possible.

    The optima of a few draws are equally likely; otherwise an alternating string would be optimal
    too often.
    """

    N: int
    S: str
    K: int
    gold_answer: int  # the smallest possible length of the longest run

    max_difficulty = 50  # at 65, numbers have more than 4,000 digits
    unique_up_to = None  # several answers can be right

    template = """
        Here is a string S of {N} digits, each 0 or 1:

        {S}

        Find a string T of {N} digits, each 0 or 1. The number of positions in which T differs from
        S must be at most {K}. Make the longest block of equal consecutive digits in T as short as
        possible.
        If several strings are best, any of them is right.

        Output format: one line with the {N} digits of T, without spaces.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(5, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            S = random_string(rng, N, rng.random())
            K = rng.randint(1, N // 2)
            return cls(N=N, S=S, K=K, gold_answer=longest_run(broken_up(S, K)))

        return spread(rng, draw, by=lambda problem: problem.gold_answer)

    def parse(self, text: str) -> str:
        if len(text) != self.N or not set(text) <= set("01"):
            raise Unparseable(f"not a string of {self.N} digits 0 and 1")
        return text

    def score(self, answer: str) -> float:
        if distance(answer, self.S) > self.K:
            return INVALID
        return ratio(self.gold_answer, longest_run(answer)) ** 5

    def reference(self) -> str:
        return broken_up(self.S, self.K)

    def work(self) -> Work[str]:
        yield state("S", self.S)
        for target in (("01" * self.N)[: self.N], ("10" * self.N)[: self.N]):
            changes = distance(target, self.S)
            fits = changes <= self.K
            limit = f"{'at most' if fits else 'more than'} {self.K}"
            yield f"{spaced(target)} has blocks of length 1: {counted(changes, 'change')}, {limit}"
            if fits:
                yield state("T", target)
                return target
        blocks = runs(self.S)
        yield "For lengths of at most b >= 2, every b + 1 digits of a block need a change, and one"
        yield "is enough: of the last or, if this ends the block, of the one before it, not to join"
        yield "the next block. So divide lengths by b + 1, rounded down."
        yield state("Blocks of S", map(len, blocks))
        longest = 2
        while True:
            parts = [len(block) // (longest + 1) for block in blocks]
            fits = sum(parts) <= self.K
            shown = " + ".join(map(str, parts))
            yield f"b = {longest}, changes: {shown} {'<=' if fits else '>'} {self.K}"
            if fits:
                break
            longest += 1
        for block in blocks:
            if len(block) > longest:
                yield f"{spaced(block)} becomes {spaced(broken_run(block, longest))}"
        text = joined(broken_run(block, longest) for block in blocks)
        yield state("T", text)
        return text


def distance(a: str, b: str) -> int:
    return sum(x != y for x, y in zip(a, b, strict=True))


def runs(text: str) -> list[str]:
    return ["".join(run) for _, run in groupby(text)]


def longest_run(text: str) -> int:
    return max(map(len, runs(text)))


def broken_up(S: str, K: int) -> str:
    """S with at most K digits changed to make its longest run as short as possible."""
    for alternating in (("01" * len(S))[: len(S)], ("10" * len(S))[: len(S)]):
        if distance(alternating, S) <= K:
            return alternating
    longest = 2
    while sum(len(run) // (longest + 1) for run in runs(S)) > K:
        longest += 1
    return "".join(broken_run(run, longest) for run in runs(S))


def broken_run(run: str, longest: int) -> str:
    """Change every digit after `longest` equal ones, but never the last, as it touches a run."""
    digits = list(run)
    for i in range(longest, len(run), longest + 1):
        digits[min(i, len(run) - 2)] = "10"[int(run[0])]
    return "".join(digits)
