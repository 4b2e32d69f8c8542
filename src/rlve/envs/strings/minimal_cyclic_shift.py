from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.errors import Unparseable
from rlve.rewards import ratio
from rlve.sampling.rejection import prefer
from rlve.sampling.strings import random_string
from rlve.text import spaced
from rlve.work import Work, state

MANY_DIGITS = 7  # strings this long have many smallest rotations


class MinimalCyclicShift(Environment[str]):
    """Find the lexicographically smallest rotation of a binary string.

    Each digit has a probability of at least a quarter, and a string is redrawn if all its digits
    are equal or if it is its own smallest rotation. So is one whose smallest rotation is sorted, if
    N is large enough for many others.
    """

    N: int
    S: str
    reference_answer: str

    max_difficulty = 1_000  # the highest difficulty measured

    template = """
        Here is a string S of {N} digits, each 0 or 1:

        {S}

        A shift moves the first digit of the string to its end. Shifts can be repeated any number
        of times, also zero times.

        Which of all the strings that arise from S in this way is the lexicographically smallest
        (0 before 1)?

        Output format: one line with this string of {N} digits, without spaces.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 4 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            S = random_string(rng, N, rng.uniform(0.25, 0.75))
            return cls(N=N, S=S, reference_answer=min(S[i:] + S[:i] for i in range(N)))

        return prefer(draw, lambda problem: problem.reference_answer not in trivial(problem.S))

    def parse(self, text: str) -> str:
        if len(text) != self.N or not set(text) <= set("01"):
            raise Unparseable(f"not a string of {self.N} digits 0 and 1")
        return text

    def score(self, answer: str) -> float:
        right = sum(x == y for x, y in zip(answer, self.reference_answer, strict=True))
        return ratio(right, self.N) ** 10

    def work(self) -> Work[str]:
        yield "Make all shifts, and keep the smallest."
        best = self.S
        yield f"{spaced(best)}, smallest so far"
        for i in range(1, self.N):
            shifted = self.S[i:] + self.S[:i]
            yield f"{spaced(shifted)}, " + ("smallest so far" if shifted < best else "not smaller")
            best = min(best, shifted)
        yield state("Smallest", best)
        return best


def trivial(S: str) -> set[str]:
    """The answers that need no search."""
    return {S} if len(S) < MANY_DIGITS else {S, "".join(sorted(S))}
