from math import isqrt
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.primes import primes_up_to
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.work import Work, add_to, say, split_into_primes


class SumPHIInterval(Environment[int]):
    """Sum, over an interval, how many smaller numbers share a factor with each number."""

    MAX_DELTA: int
    L: int
    R: int
    reference_answer: int

    max_difficulty = 90  # at 110, generating a problem takes too long

    template = """
        For a positive integer x, let F(x) be the number of integers a with 1 <= a <= x for which
        the greatest common divisor of a and x is larger than 1. For example, F(1) = 0 and
        F(6) = 4.

        Compute the sum of F(x) over all integers x with {L} <= x <= {R}.

        Output format: one integer, the sum.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_DELTA": grow(5, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_DELTA: int) -> Self:
        L = rng.randint(1, MAX_DELTA**2)
        R = L + rng.randint(1, MAX_DELTA)
        total = sum(x - phi for x, phi in enumerate(totients_between(L, R), L))
        return cls(MAX_DELTA=MAX_DELTA, L=L, R=R, reference_answer=total)

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield "Of the numbers from 1 to x, take away the multiples of each prime divisor p of x:"
        yield "one in p of those that are left. F(x) is how many have been taken away."
        total = 0
        for x in range(self.L, self.R + 1):
            yield f"x = {x}"
            primes = sorted(set((yield from split_into_primes(x)))) if x > 1 else []
            left = x
            for p in primes:
                by = yield from say("/", left, p)
                yield f"p = {p}: {by}, left {yield from say('-', left, left // p)}"
                left -= left // p
            total = yield from add_to(total, x - left, f"F({x}) = {x} - {left} = {x - left}")
        yield f"So the sum is {total}"
        return str(total)


def totients_between(L: int, R: int) -> list[int]:
    """Euler's totient of each of L .. R, by a sieve over the interval alone."""
    phi = list(range(L, R + 1))
    rest = list(range(L, R + 1))  # what is left after dividing out the primes so far
    for p in primes_up_to(isqrt(R)):
        for i in range(-L % p, len(phi), p):
            phi[i] -= phi[i] // p
            while rest[i] % p == 0:
                rest[i] //= p
    return [t - t // r if r > 1 else t for t, r in zip(phi, rest, strict=True)]
