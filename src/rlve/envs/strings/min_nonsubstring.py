from itertools import count, product
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import letters
from rlve.rewards import INVALID, exact
from rlve.sampling.rejection import spread
from rlve.sampling.strings import random_string
from rlve.text import joined
from rlve.work import Work


class MinNonsubstring(Environment[str]):
    """Find the first of the shortest strings of a and b that do not occur in a given string.

    Each letter has a probability of at least a quarter, and the answers of a few draws are equally
    likely; otherwise two answers would cover most problems. A string of other characters is
    ill-formed, with the published reward of -0.5.
    """

    N: int
    A: str
    reference_answer: str

    max_difficulty = 1_000  # the highest difficulty measured

    template = """
        Here is a string A of {N} letters, each a or b:

        {A}

        Find the non-empty string B that
        - consists of the letters a and b only,
        - does not occur in A as a contiguous substring,
        - is as short as possible, and
        - comes first in lexicographic order (a before b) among all shortest ones.

        Output format: one line with the string B alone.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            A = random_string(rng, N, rng.uniform(0.25, 0.75), "ab")
            return cls(N=N, A=A, reference_answer=first_missing(A))

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> str:
        return letters(text, "ab", reward=INVALID)

    def score(self, answer: str) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str | None]:
        yield "Go through the strings by length, and in order, until one does not occur."
        for length in count(1):
            for word in map(joined, product("ab", repeat=length)):
                place = self.A.find(word) + 1
                yield f"{word}: " + (f"at letter {place}" if place else "nowhere")
                if not place:
                    return word
        return None


def first_missing(A: str) -> str:
    """A holds too few substrings of length floor(log2 N) + 1, so the search is short."""
    length = 1
    while all(joined(word) in A for word in product("ab", repeat=length)):
        length += 1
    return next(text for word in product("ab", repeat=length) if (text := joined(word)) not in A)
