from math import comb
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact_residue

MODULUS = 10**9 + 7


class StirlingSecond(Environment[int]):
    """Count the ways to put distinct balls into distinct boxes so that no box is empty."""

    MAX_N: int
    MAX_R: int
    N: int
    R: int
    reference_answer: int

    max_difficulty = 50  # at 60, generating a problem takes too long

    template = """
        There are {N} distinct balls and {R} distinct boxes. In how many ways can all balls be put
        into the boxes so that no box is empty? Two ways are different if some ball is in different
        boxes; the order of the balls within a box does not matter.

        Give the number of ways modulo {modulus}.

        Output format: one integer from 0 to {largest}.
        """

    def prompt(self) -> str:
        return self.fill(modulus=MODULUS, largest=MODULUS - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": grow(7, d), "MAX_R": grow(2, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int, MAX_R: int) -> Self:
        N = rng.randint(2, MAX_N)
        R = rng.randint(2, min(N, MAX_R))
        # Inclusion and exclusion over the sets of `empty` boxes that stay empty.
        count = sum((-1) ** empty * comb(R, empty) * (R - empty) ** N for empty in range(R + 1))
        return cls(MAX_N=MAX_N, MAX_R=MAX_R, N=N, R=R, reference_answer=count % MODULUS)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, MODULUS)
