from collections import Counter
from itertools import pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer_rows, pairs
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import redraw
from rlve.text import grid, lines, spaced
from rlve.work import Work, state


class DifferentColorPairing(Environment[list[tuple[int, int]]]):
    """Pair pearls so that no pair has two of the same colour."""

    N: int
    M: int
    C: list[int]  # the number of pearls of colours 1, 2, ..., M
    reference_answer: str

    max_difficulty = 1_000  # the highest difficulty measured
    unique_up_to = None  # several answers can be right

    template = """
        There are {N} pearls of {M} colours, numbered from 1 to {M}. The number of pearls of each
        colour is:

        {C}

        Split all {N} pearls into {pairs} pairs such that the two pearls of each pair have different
        colours. It can be done, and any such pairing is right.

        Output format: {pairs} lines, one per pair, each with the colours of its two pearls,
        separated by a space. The order of the pairs, and of the colours in a pair, is free.
        """

    def prompt(self) -> str:
        counts = (f"colour {colour}: {count}" for colour, count in enumerate(self.C, 1))
        return self.fill(pairs=self.N // 2, C=lines(counts))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 6 + 2 * d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        M = rng.randint(3, N - 1)

        def draw() -> list[int]:
            cuts = sorted(rng.sample(range(1, N), M - 1))
            return [end - start for start, end in pairwise([0, *cuts, N])]

        C = redraw(draw, until=lambda C: max(C) <= N // 2)
        return cls(N=N, M=M, C=C, reference_answer=grid(pairing(C)))

    def parse(self, text: str) -> list[tuple[int, int]]:
        rows = integer_rows(text, rows=self.N // 2, columns=2)
        return [pair for row in rows for pair in pairs(row)]

    def score(self, answer: list[tuple[int, int]]) -> float:
        if any(a == b or not (1 <= a <= self.M and 1 <= b <= self.M) for a, b in answer):
            return INVALID
        used = Counter(colour for pair in answer for colour in pair)
        right = sum(used[colour] == count for colour, count in enumerate(self.C, 1))
        return ratio(right, self.M) ** 10

    def work(self) -> Work[str]:
        pearls = [colour for colour, count in enumerate(self.C, 1) for _ in range(count)]
        half = self.N // 2
        yield state("Pearls in order of colour", pearls)
        yield f"Pair each with the one {half} further on. No colour has more than {half} pearls, so"
        yield "the two are different."
        yield state("First half", pearls[:half])
        yield state("Second half", pearls[half:])
        pairs = list(zip(pearls[:half], pearls[half:], strict=True))
        yield "Pairs: " + ", ".join(map(spaced, pairs))
        return grid(pairs)


def pairing(C: list[int]) -> list[tuple[int, int]]:
    """With the pearls in order of colour, pair each with the one half the pearls further on.

    No colour has more than half of the pearls, so the two are of different colours.
    """
    pearls = [colour for colour, count in enumerate(C, 1) for _ in range(count)]
    half = len(pearls) // 2
    return list(zip(pearls[:half], pearls[half:], strict=True))
