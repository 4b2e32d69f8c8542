from math import prod
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.primes import factorise
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness


class SumGCDWithIndividual(Environment[int]):
    """Sum the greatest common divisors of a number and each number up to it."""

    MAX_N: int
    N: int
    reference_answer: int

    max_difficulty = 120  # at 150, numbers are too large to factorise

    template = """
        Compute the sum of gcd(i, {N}) over all integers i with 1 <= i <= {N}, where gcd(i, {N}) is
        the greatest common divisor of i and {N}.

        Output format: one positive integer, the sum.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": grow(32, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int) -> Self:
        N = rng.randint(4, MAX_N)
        return cls(MAX_N=MAX_N, N=N, reference_answer=gcd_sum(N))

    def parse(self, text: str) -> int:
        return integer(text, low=1)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10


def gcd_sum(N: int) -> int:
    """Pillai's function: the sum is multiplicative, with a known value at each prime power p^e."""
    return prod(p ** (e - 1) * (e * (p - 1) + p) for p, e in factorise(N).items())
