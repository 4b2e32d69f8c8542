from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import redraw, spread
from rlve.sampling.strings import random_string
from rlve.text import spaced
from rlve.work import Work, find_best


class SaladBar(Environment[list[int]]):
    """Find a longest substring in which, counted from either end, p is never behind j.

    A string that lacks a letter is redrawn with a new probability of p, and the optimal substrings
    of a few draws are equally likely; otherwise a single p would be optimal too often.
    """

    N: int
    S: str
    gold_answer: int  # the largest length
    reference_answer: str

    max_difficulty = 45  # at 52, generating a problem takes too long
    unique_up_to = None  # several answers can be right

    template = """
        Here is a string S of {N} letters, each j or p, numbered from 0 to {last}:

        {S}

        Find integers l and r with 0 <= l < r <= {N} for which the substring of the letters
        l, l+1, ..., r-1 of S has this property: in each of its prefixes and in each of its suffixes
        there are at least as many p as j. Make r - l as large as possible.
        If several choices are best, any of them is right.

        Output format: one line with the integers l and r, separated by a space.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            S = redraw(
                lambda: random_string(rng, N, rng.uniform(0, 0.7), "jp"),
                until=lambda text: len(set(text)) > 1,
            )
            start, end = longest_lead(S)
            return cls(N=N, S=S, gold_answer=end - start, reference_answer=f"{start} {end}")

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> list[int]:
        return integers(text, count=2)

    def score(self, answer: list[int]) -> float:
        start, end = answer
        if not 0 <= start < end <= self.N:
            return INVALID
        part = self.S[start:end]
        if not (leads(part) and leads(part[::-1])):
            return INVALID
        return ratio(len(part), self.gold_answer) ** 5

    def work(self) -> Work[str]:
        yield "From each p, count p minus j and stop below 0. Every suffix is fine exactly if no"
        yield "count is larger than the last. So r is right after the last of the largest counts."
        spans: list[tuple[int, int]] = []
        cases: list[tuple[str, int]] = []
        for start in range(self.N):
            leads: list[int] = []
            lead = 0
            for letter in self.S[start:]:
                lead += 1 if letter == "p" else -1
                if lead < 0:
                    break
                leads.append(lead)
            if leads:
                end = start + len(leads) - leads[::-1].index(max(leads))
                spans.append((start, end))
                text = f"l = {start}: {spaced(leads)}, largest {max(leads)}, r = {end}"
                cases.append((f"{text}, {end} - {start} = {end - start}", end - start))
        return spaced(spans[(yield from find_best(cases))])


def leads(part: str) -> bool:
    """Whether each prefix has at least as many p as j."""
    lead = 0
    for letter in part:
        lead += 1 if letter == "p" else -1
        if lead < 0:
            return False
    return True


def longest_lead(S: str) -> tuple[int, int]:
    """From each start, continue while p leads, and stop after the last of the largest leads."""
    best = 0, 0
    for start in range(len(S)):
        lead = largest = 0
        for i in range(start, len(S)):
            lead += 1 if S[i] == "p" else -1
            if lead < 0:
                break
            if lead >= largest:
                largest = lead
                best = max(best, (start, i + 1), key=lambda span: span[1] - span[0])
    return best
