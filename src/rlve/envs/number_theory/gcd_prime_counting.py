from bisect import bisect_right
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.floor_sums import coprime_pairs, mertens, quotient_blocks
from rlve.algorithms.primes import primes_up_to
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.work import Work, add_to, count_by_gcd


class GCDPrime_Counting(Environment[int]):
    """Count the pairs of integers below two bounds whose greatest common divisor is prime."""

    MAX_N_M: int
    N: int
    M: int
    reference_answer: int

    max_difficulty = 25  # at 35, generating a problem takes too long

    template = """
        Count the pairs of integers (x, y) with 1 <= x <= {N} and 1 <= y <= {M} whose greatest
        common divisor is a prime number. (1 is not a prime number.) Pairs that differ in x or in y
        are different.

        Output format: one integer, the number of pairs.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": grow(5, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        N, M = rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)
        return cls(MAX_N_M=MAX_N_M, N=N, M=M, reference_answer=count_pairs(N, M))

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        pairs = yield from count_by_gcd(self.N, self.M, least=2)
        total = 0
        for p in sorted(pairs):
            if all(p % t for t in range(2, p)):
                total = yield from add_to(total, pairs[p], f"{p} is prime, pairs: {pairs[p]}")
        yield f"So the number of pairs is {total}"
        return str(total)


def count_pairs(N: int, M: int) -> int:
    """For each prime p, gcd(x, y) = p for as many pairs as are coprime up to N/p and M/p."""
    limit = min(N, M)
    primes = primes_up_to(limit)
    moebius_sum = mertens(limit)
    total = done = 0
    for first, last in quotient_blocks(limit, N, M):
        upto = bisect_right(primes, last)
        if upto > done:
            total += (upto - done) * coprime_pairs(N // first, M // first, moebius_sum)
            done = upto
    return total
