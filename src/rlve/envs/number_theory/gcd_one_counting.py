from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.floor_sums import coprime_pairs, mertens
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.text import counted, spaced
from rlve.work import Work, add_to


class GCDOne_Counting(Environment[int]):
    """Count the pairs of coprime integers below two bounds.

    At high levels the estimate 6/pi^2 * N * M earns nearly the full reward, but never passes.
    """

    MAX_N_M: int
    N: int
    M: int
    reference_answer: int

    max_difficulty = 30  # at 37, generating a problem takes too long

    template = """
        Count the ordered pairs of integers (x, y) with 1 <= x <= {N} and 1 <= y <= {M} whose
        greatest common divisor is exactly 1.

        Output format: one positive integer, the number of pairs.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": grow(5, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        N, M = rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)
        count = coprime_pairs(N, M, mertens(min(N, M)))
        return cls(MAX_N_M=MAX_N_M, N=N, M=M, reference_answer=count)

    def parse(self, text: str) -> int:
        return integer(text, low=1)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield "For each x, list the y that share no prime with it."
        total = 0
        for x in range(1, self.N + 1):
            primes = prime_factors(x)
            coprime = [y for y in range(1, self.M + 1) if all(y % p for p in primes)]
            yield f"x = {x}, primes {spaced(primes) or 'none'}: y = {spaced(coprime)}"
            total = yield from add_to(total, len(coprime), counted(len(coprime), "pair"))
        yield f"So there are {total} pairs"
        return str(total)


def prime_factors(n: int) -> list[int]:
    """The primes that divide a small number."""
    divisors = [p for p in range(2, n + 1) if n % p == 0]
    return [p for p in divisors if all(p % q for q in divisors if q < p)]
