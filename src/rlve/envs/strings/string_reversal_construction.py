from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.rewards import INVALID, exact
from rlve.sampling.rejection import prefer, spread
from rlve.text import spaced
from rlve.work import Work, state

LETTERS = "abcdefghijklmnopqrstuvwxyz"


class StringReversalConstruction(Environment[list[int]]):
    """Turn a string into another by moving its ends, reversed, to the front.

    A problem whose two strings are equal is redrawn, and the effects of the shifts in a few draws
    are made equally likely; otherwise reversing the whole string would be right too often.
    """

    n: int
    s: str
    t: str
    max_k: int
    reference_answer: str

    guessable = "At difficulty 0, a shift can do only two different things to three letters."

    max_difficulty = 1_000  # the highest difficulty measured
    unique_up_to = None  # several answers can be right

    template = """
        A shift by x takes the last x letters of a string, reverses their order and puts them in
        front of the other letters, which keep their order. For example, a shift by 2 turns vwxyz
        into zyvwx.

        Turn the string s into the string t by shifts that are executed one after the other:

        s = {s}
        t = {t}

        Each x is an integer from 0 to {n}, the length of the strings. You may use at most {max_k}
        shifts; their number need not be as small as possible.

        Output format: one line with the x of each shift, in the order of execution, separated by
        spaces. If no shift is needed, the answer may be empty.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"n": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, n: int) -> Self:
        places = "".join(map(chr, range(n)))  # n different letters

        def draw() -> list[int]:
            return [rng.randint(1, n) for _ in range(rng.randint(1, max(1, n // 2)))]

        shifts = spread(
            rng,
            lambda: prefer(draw, lambda shifts: shifted(places, shifts) != places),
            by=lambda shifts: shifted(places, shifts),
        )
        s = prefer(
            lambda: "".join(rng.choices(LETTERS, k=n)), lambda text: shifted(text, shifts) != text
        )
        return cls(n=n, s=s, t=shifted(s, shifts), max_k=3 * n, reference_answer=spaced(shifts))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) > self.max_k or any(not 0 <= x <= self.n for x in answer):
            return INVALID
        return exact(shifted(self.s, answer) == self.t)

    def work(self) -> Work[str]:
        yield "Let the string be P U L V: P is built so far, at first nothing; L is the next"
        yield "letter. Shift by all but P, then by P and U, then by 1: now it begins with L, then P"
        yield "reversed; this is the new P. Do this for all letters of t: the last one to come to"
        yield "the front is the first of t, the one before it the last of t, the one before that"
        yield "the second of t, and so on inwards."
        letters: list[str] = []
        rest = self.t
        while rest:
            letters.insert(0, rest[0])
            rest = rest[:0:-1]
        yield state("Letters in order", letters)
        shifts: list[int] = []
        text = self.s
        for done, letter in enumerate(letters):
            between = text.index(letter, done) - done
            steps: list[str] = []
            for x in (self.n - done, done + between, 1):
                text = shifted(text, [x])
                shifts.append(x)
                steps.append(f"{x}: {text}")
            yield f"{letter}, by {', '.join(steps)}"
        yield state("Shifts", shifts)
        return spaced(shifts)


def shifted(text: str, shifts: list[int]) -> str:
    for x in shifts:
        rest = len(text) - x
        text = text[rest:][::-1] + text[:rest]
    return text
