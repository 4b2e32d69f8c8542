from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.floor_sums import divisor_counts_to, mertens, quotient_blocks
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness


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


def divisor_sum(N: int, M: int) -> int:
    """d(i * j) counts the coprime pairs of a divisor of i and one of j; Moebius inversion."""
    moebius_sum = mertens(min(N, M))
    return sum(
        (moebius_sum(last) - moebius_sum(first - 1))
        * divisor_counts_to(N // first)
        * divisor_counts_to(M // first)
        for first, last in quotient_blocks(min(N, M), N, M)
    )
