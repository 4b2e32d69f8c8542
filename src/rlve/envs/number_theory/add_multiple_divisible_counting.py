from math import gcd, isqrt
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.floor_sums import quotient_blocks
from rlve.algorithms.number_theory import moebius
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.sampling.rejection import prefer
from rlve.work import Work, add_to, say


class AddMultiple_Divisible_Counting(Environment[int]):
    """Count the pairs of integers up to a bound whose sum divides their product.

    Only N varies, and the count is 1 for every N below 12, so such an N is redrawn once.
    """

    MAX_N: int
    N: int
    reference_answer: int

    max_difficulty = 35  # at 42, generating a problem takes too long

    template = """
        Count the pairs of integers (a, b) with 1 <= a < b <= {N} such that the sum a + b divides
        the product a * b.

        Output format: one positive integer, the number of pairs.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": grow(16, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int) -> Self:
        N = prefer(lambda: rng.randint(6, MAX_N), lambda n: n >= 12, tries=2)
        return cls(MAX_N=MAX_N, N=N, reference_answer=count_pairs(N))

    def parse(self, text: str) -> int:
        return integer(text, low=1)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield "Write a = g * p and b = g * q with coprime p < q. Then p + q is coprime to p * q, so"
        yield "a + b divides a * b if and only if p + q divides g: g = k * (p + q)."
        yield f"As b = k * q * (p + q) <= {self.N}, there are {self.N} // (q * (p + q)) such k."
        yield f"Pairs p, q with q * (p + q) > {self.N} give none and are left out."
        total, q = 0, 2
        while q * (q + 1) <= self.N:
            for p in [p for p in range(1, q) if gcd(p, q) == 1 and q * (p + q) <= self.N]:
                times = yield from say("*", q, p + q)
                yield f"q = {q}, p = {p}: {p} + {q} = {p + q}, {times}"
                by = yield from say("//", self.N, q * (p + q))
                total = yield from add_to(total, self.N // (q * (p + q)), by)
            q += 1
        yield f"q = {q}: {q} * (1 + {q}) > {self.N}, so this and all larger q give nothing"
        yield f"So the number of pairs is {total}"
        return str(total)


def count_pairs(N: int) -> int:
    """The number of pairs, in about N^(3/4) steps.

    With a = g*p, b = g*q and coprime p < q, the condition is that p + q divides g, so there are
    floor(N / (q*(p + q))) pairs for each (p, q). Moebius inversion removes the coprimality.
    """
    mu = moebius(isqrt(N))
    return sum(mu[t] * count_ratios(N // (t * t)) for t in range(1, isqrt(N) + 1) if mu[t])


def count_ratios(n: int) -> int:
    """The sum of floor(n / (q*(p + q))) over all 1 <= p < q."""
    total, q = 0, 2
    while q * (q + 1) <= n:
        m = n // q
        blocks = quotient_blocks(min(2 * q - 1, m), m, start=q + 1)
        total += sum((last - first + 1) * (m // first) for first, last in blocks)
        q += 1
    return total
