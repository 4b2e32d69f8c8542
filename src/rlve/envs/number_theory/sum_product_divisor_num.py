from math import gcd
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.floor_sums import divisor_counts_to, mertens, quotient_blocks
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.text import spaced
from rlve.work import Work, add_all, add_to, multiply


class SumProductDivisorNum(Environment[int]):
    """Sum the numbers of divisors of the products of all pairs below two bounds."""

    MAX_N_M: int
    N: int
    M: int
    reference_answer: int

    max_difficulty = 30  # at 37, generating a problem takes too long

    template = """
        Let d(n) be the number of positive divisors of n, 1 and n included.

        Compute the sum of d(i * j) over all ordered pairs of integers (i, j) with 1 <= i <= {N}
        and 1 <= j <= {M}.

        Output format: one positive integer, the exact sum.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": grow(5, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        N, M = rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)
        return cls(MAX_N_M=MAX_N_M, N=N, M=M, reference_answer=divisor_sum(N, M))

    def parse(self, text: str) -> int:
        return integer(text, low=1)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield (
            "d(i * j) is the number of pairs of a divisor a of i "
            "and a divisor b of j with no common"
        )
        yield "factor above 1: if a prime is x times in i and y times in j, it is 1 to x times in"
        yield "a, or 1 to y times in b, or in neither: x + y + 1 ways, as for a divisor of i * j."
        yield (
            f"Such a pair counts for {self.N} // a values of i "
            f"and {self.M} // b values of j; // rounds down."
        )
        shares = [self.M // b for b in range(1, self.M + 1)]
        shown = (
            f"{self.M} // {b} = {n}" if 10 < n < self.M else f"{n}" for b, n in enumerate(shares, 1)
        )
        yield f"{self.M} // b for b = 1, 2, ..., {self.M}: {', '.join(shown)}"
        total = 0
        for a in range(1, self.N + 1):
            coprime = [b for b in range(1, self.M + 1) if gcd(a, b) == 1]
            yield f"a = {a}: b = {spaced(coprime)}"
            inner = yield from add_all([shares[b - 1] for b in coprime])
            yield f"{self.N} // {a} = {self.N // a}"
            value = yield from multiply(self.N // a, inner)
            total = yield from add_to(total, value, f"a = {a} gives {value}")
        yield f"So the sum is {total}"
        return str(total)


def divisor_sum(N: int, M: int) -> int:
    """d(i * j) counts the coprime pairs of a divisor of i and one of j; Moebius inversion."""
    moebius_sum = mertens(min(N, M))
    return sum(
        (moebius_sum(last) - moebius_sum(first - 1))
        * divisor_counts_to(N // first)
        * divisor_counts_to(M // first)
        for first, last in quotient_blocks(min(N, M), N, M)
    )
