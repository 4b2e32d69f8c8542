from collections.abc import Iterator
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.primes import divisors
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.sampling.rejection import prefer
from rlve.work import Work, list_divisors


class IntegerFactorizationCounting(Environment[int]):
    """Count the ways to write an integer as a product of distinct factors.

    At low levels most N have no way or one; such an N is redrawn once. At difficulty 0 only N = 12
    has more.
    """

    MAX_N: int
    N: int
    reference_answer: int

    max_difficulty = 120  # at 145, numbers are too large to factorise

    template = """
        In how many ways can {N} be written as a product of two or more integers that are all
        greater than 1 and pairwise different?

        The order of the factors does not matter: 2 * 32 and 32 * 2 are the same way. For example,
        64 can be written in 3 ways: 2 * 32, 4 * 16 and 2 * 4 * 8 (but not as 8 * 8 or 2 * 2 * 16).
        If there is no way, the answer is 0.

        Output format: one integer, the number of ways.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": grow(16, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int) -> Self:
        N = prefer(lambda: rng.randint(4, MAX_N), lambda n: count_ways(n) > 1, tries=2)
        return cls(MAX_N=MAX_N, N=N, reference_answer=count_ways(N))

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield from list_divisors(self.N)
        yield "List the products with ascending factors; after each, split its last factor further."
        count = 0
        for factors in ascending(self.N, 2):
            count += 1
            yield f"{' * '.join(map(str, factors))}: count {count}"
        if not count:
            yield "There is no such product."
        yield f"So the number of ways is {count}"
        return str(count)


def ascending(n: int, least: int) -> Iterator[list[int]]:
    """The products of two or more different integers from the least on, in ascending order."""
    for factor in range(least, n):
        if n % factor == 0 and n // factor > factor:
            yield [factor, n // factor]
            yield from ([factor, *rest] for rest in ascending(n // factor, factor + 1))


def count_ways(N: int) -> int:
    """The number of sets of two or more divisors above 1 whose product is N, for N >= 2."""
    factors = divisors(N)[1:]
    ways = dict.fromkeys(factors, 0) | {1: 1}  # product -> sets of the factors seen so far
    for factor in factors:
        for product in reversed(factors):  # large ones first, so that no set has a factor twice
            if product % factor == 0:
                ways[product] += ways[product // factor]
    return ways[N] - 1
