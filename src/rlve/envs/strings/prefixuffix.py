from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.rewards import exact
from rlve.sampling.rejection import spread
from rlve.sampling.strings import random_string
from rlve.text import spaced
from rlve.work import Work


class Prefixuffix(Environment[int]):
    """Find the longest prefix that is a rotation of the suffix of the same length.

    Each letter has a probability of at least 0.3, and the answers of a few draws are equally
    likely; otherwise the answer would be N // 2 in most problems.
    """

    N: int
    S: str
    reference_answer: int

    guessable = (
        "At low difficulties few answers are likely: at d = 3 there are three, and each is right "
        "in about a third of the problems."
    )

    max_difficulty = 1_000  # the highest difficulty measured

    template = """
        Two strings of the same length are equivalent if one of them becomes the other when some of
        its first letters (maybe none) are moved, in the same order, to its end. For example, aabab
        and babaa are equivalent, as moving aa to the end of aabab gives babaa. Two empty strings
        are equivalent.

        Here is a string S of {N} letters, each a or b:

        {S}

        Find the largest integer L from 0 to {half} for which the first L letters of S and the last
        L letters of S are equivalent strings.

        Output format: one integer, the largest L.
        """

    def prompt(self) -> str:
        return self.fill(half=self.N // 2)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 4 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            S = string_with_rotation(rng, N)
            return cls(N=N, S=S, reference_answer=longest_equivalent(S))

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield "Try the largest L first: move letters of the beginning to its end in all ways."
        for length in range(self.N // 2, 0, -1):
            first, last = self.S[:length], self.S[-length:]
            shifts = dict.fromkeys(first[i:] + first[:i] for i in range(length))
            equal = last in shifts
            yield (
                f"L = {length}: {first} can become {spaced(shifts)}; "
                f"{last} is {'one' if equal else 'none'} of these"
            )
            if equal:
                return str(length)
        yield "L = 0: both are empty"
        return "0"


def string_with_rotation(rng: Random, N: int) -> str:
    """U V W V U: the prefix U V is equivalent to the suffix V U."""
    chance = rng.uniform(0.3, 0.7)
    length = rng.randint(1, N // 2)
    first = rng.randint(0, length)
    U = random_string(rng, first, chance, "ab")
    V = random_string(rng, length - first, chance, "ab")
    W = random_string(rng, N - 2 * length, chance, "ab")
    return U + V + W + V + U


def longest_equivalent(S: str) -> int:
    """The rotations of a string are the substrings of its length in two copies of it."""
    lengths = range(len(S) // 2, 0, -1)
    return next((L for L in lengths if S[-L:] in S[:L] * 2), 0)
