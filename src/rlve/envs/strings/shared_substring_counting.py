from collections.abc import Iterator
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.sampling.strings import random_string
from rlve.work import Work, add_cases, show_sum, state


class SharedSubstringCounting(Environment[int]):
    """Count the pairs of equal substrings of two strings."""

    MAX_LEN: int
    S: str
    T: str
    reference_answer: int

    max_difficulty = 45  # at 57, generating a problem takes too long

    template = """
        Here are two strings S and T of the letters a and b, each with its letters numbered from 0:

        S = {S}
        T = {T}

        The length of S is {s}, and the length of T is {t}. How many quadruples of integers
        (lS, rS, lT, rT) with 0 <= lS < rS <= {s} and 0 <= lT < rT <= {t} are there for which the
        substring of the letters lS, ..., rS-1 of S equals the substring of the letters
        lT, ..., rT-1 of T? So equal substrings at different positions count separately.

        Output format: one integer, the number of quadruples.
        """

    def prompt(self) -> str:
        return self.fill(s=len(self.S), t=len(self.T))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_LEN": grow(10, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_LEN: int) -> Self:
        S, T = random_word(rng, MAX_LEN), random_word(rng, MAX_LEN)
        return cls(MAX_LEN=MAX_LEN, S=S, T=T, reference_answer=count_shared(S, T))

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield "For a letter of S and one of T, count how many letters agree going back from both: 0"
        yield "if the two differ, otherwise 1 more than for the two before them. That many pairs"
        yield "of equal substrings end there. One row per letter of S:"

        def cases() -> Iterator[tuple[str, int]]:
            row = [0] * len(self.T)
            for s in self.S:
                pairs = zip([0, *row], self.T, strict=False)
                row = [before + 1 if s == t else 0 for before, t in pairs]
                yield f"{state(s, row)}; {show_sum(filter(None, row))}", sum(row)

        return str((yield from add_cases(cases())))


def random_word(rng: Random, longest: int) -> str:
    chance = rng.random()
    return random_string(rng, rng.randint(2, longest), chance, "ab")


def count_shared(S: str, T: str) -> int:
    """Each pair of ends adds the number of letters that agree before them."""
    count = 0
    agreeing = [0] * (len(T) + 1)
    for s in S:
        agreeing = [0, *(agreeing[j] + 1 if s == t else 0 for j, t in enumerate(T))]
        count += sum(agreeing)
    return count
