from collections.abc import Callable
from functools import cache
from math import gcd
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.floor_sums import mertens, quotient_blocks
from rlve.algorithms.primes import factorise
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.text import spaced
from rlve.work import Work, add_to, split_into_primes


class CirculatingDecimalCounting(Environment[int]):
    """Count the fractions with bounded terms whose expansion in a base is purely periodic.

    A bound of 1 leaves next to nothing to count, so the bounds are at least 2.
    """

    MAX_N: int
    MAX_M: int
    MAX_K: int
    N: int
    M: int
    K: int
    reference_answer: int

    max_difficulty = 30  # at 37, generating a problem takes too long

    template = """
        Consider the fractions x/y with integers 1 <= x <= {N} and 1 <= y <= {M}, written in
        base {K}. A fraction is purely periodic if it is an integer, or if the digits after its
        point repeat one block from the first digit on for ever. In base 10, for example,
        5/11 = 0.4545... is purely periodic; 1/6 = 0.1666... and 1/4 = 0.25 are not.

        How many different values among these fractions are purely periodic in base {K}? Equal
        values, such as 1/3 and 2/6, count once.

        Output format: one positive integer, the number of values.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        bound = grow(5, d, by=1.5, plus=0)
        return [{"MAX_N": bound, "MAX_M": bound, "MAX_K": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int, MAX_M: int, MAX_K: int) -> Self:
        N, M, K = rng.randint(2, MAX_N), rng.randint(2, MAX_M), rng.randint(2, MAX_K)
        return cls(
            MAX_N=MAX_N,
            MAX_M=MAX_M,
            MAX_K=MAX_K,
            N=N,
            M=M,
            K=K,
            reference_answer=count_values(N, M, K),
        )

    def parse(self, text: str) -> int:
        return integer(text, low=1)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield "In lowest terms, x/y repeats a block of n digits from the first on if and only if y"
        yield f"divides {self.K}^n - 1. There is such an n if and only if y is coprime to {self.K}."
        primes = sorted(set((yield from split_into_primes(self.K))))
        yield f"Primes that must not divide y: {spaced(primes)}. Count the x that are coprime to y."
        total = 0
        for y in range(1, self.M + 1):
            if gcd(y, self.K) > 1:
                yield f"y = {y}: {max(p for p in primes if y % p == 0)} divides it"
                continue
            coprime = [x for x in range(1, self.N + 1) if gcd(x, y) == 1]
            total = yield from add_to(total, len(coprime), f"y = {y}: x = {spaced(coprime)}")
        yield f"So the number of values is {total}"
        return str(total)


def count_values(N: int, M: int, K: int) -> int:
    """The number of pairs (x, y) with gcd(x, y) = 1 and gcd(y, K) = 1.

    These are the values in lowest terms. Moebius inversion removes the first condition and leaves
    the second for both the common divisor and the rest of y.
    """
    primes = list(factorise(K))
    moebius_sum = coprime_moebius_sum(min(N, M), primes)
    return sum(
        (moebius_sum(last) - moebius_sum(first - 1))
        * (N // first)
        * count_coprime(M // first, primes)
        for first, last in quotient_blocks(min(N, M), N, M)
    )


def coprime_moebius_sum(high: int, primes: list[int]) -> Callable[[int], int]:
    """The function n -> the sum of mu(t) over those 1 <= t <= n that none of the primes divides."""
    plain = mertens(high)

    @cache
    def prefix(n: int, used: int) -> int:
        # With p the last prime used: multiples of p are p * t, with mu(p * t) = -mu(t) if p does
        # not divide t, and 0 if it does.
        if used == 0 or n == 0:
            return plain(n)
        return prefix(n, used - 1) + prefix(n // primes[used - 1], used)

    return lambda n: prefix(n, len(primes))


def count_coprime(n: int, primes: list[int]) -> int:
    """How many of 1 .. n none of the primes divides."""
    if not primes:
        return n
    return count_coprime(n, primes[:-1]) - count_coprime(n // primes[-1], primes[:-1])
