from math import prod
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.primes import factorise
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.work import Work, add_to, list_divisors, say


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

    def work(self) -> Work[str]:
        yield f"Let N = {self.N}. gcd(i, N) is a divisor g of N. There are N / g multiples"
        yield "of g up to N; take away those whose gcd is a larger divisor. Begin with the largest."
        divisors = yield from list_divisors(self.N)
        numbers: dict[int, int] = {}
        total = 0
        for g in reversed(divisors):
            multiples = self.N // g
            larger = [numbers[t] for t in numbers if t % g == 0]
            numbers[g] = multiples - sum(larger)
            less = f" - {' - '.join(map(str, larger))} = {numbers[g]}" if larger else ""
            yield f"g = {g}: {multiples}{less}"
            text = yield from say("*", numbers[g], g)
            total = yield from add_to(total, numbers[g] * g, text)
        yield f"So the sum is {total}"
        return str(total)


def gcd_sum(N: int) -> int:
    """Pillai's function: the sum is multiplicative, with a known value at each prime power p^e."""
    return prod(p ** (e - 1) * (e * (p - 1) + p) for p, e in factorise(N).items())
