from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.number_theory import smallest_prime_factors
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.work import Work, add_to, count_by_gcd, power, say


class SumGCD(Environment[int]):
    """Sum the K-th powers of the greatest common divisors of all pairs below two bounds."""

    MAX_N_M: int
    N: int
    M: int
    K: int
    reference_answer: int

    max_difficulty = 25  # at 30, generating a problem takes too long

    template = """
        Compute the sum of gcd(i, j)^{K} over all ordered pairs of integers (i, j) with
        1 <= i <= {N} and 1 <= j <= {M}, where gcd(i, j) is the greatest common divisor of i and j.

        Output format: one positive integer, the exact sum.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": grow(5, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        N, M = rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)
        K = rng.randint(1, 5)
        return cls(MAX_N_M=MAX_N_M, N=N, M=M, K=K, reference_answer=gcd_power_sum(N, M, K))

    def parse(self, text: str) -> int:
        return integer(text, low=1)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        pairs = yield from count_by_gcd(self.N, self.M)
        total = 0
        for g in sorted(pairs):
            value = yield from power(g, self.K)
            text = yield from say("*", pairs[g], value)
            total = yield from add_to(total, pairs[g] * value, text)
        yield f"So the sum is {total}"
        return str(total)


def gcd_power_sum(N: int, M: int, K: int) -> int:
    """g^K is the sum of Jordan's totients of the divisors of g; each counts once for every pair."""
    jordan = jordan_totients(min(N, M), K)
    return sum(jordan[t] * (N // t) * (M // t) for t in range(1, min(N, M) + 1))


def jordan_totients(n: int, K: int) -> list[int]:
    """t^K times the product of 1 - p^(-K) over the primes p that divide t, for each t in 0 .. n."""
    smallest = smallest_prime_factors(n)
    jordan = [0, 1]
    for t in range(2, n + 1):
        p = smallest[t]
        rest = t // p
        jordan.append(jordan[rest] * (p**K - (rest % p != 0)))
    return jordan
