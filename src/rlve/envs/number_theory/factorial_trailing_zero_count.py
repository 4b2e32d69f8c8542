from collections import Counter
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.primes import factorial_valuation, factorise
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact
from rlve.sampling.rejection import prefer
from rlve.text import counted
from rlve.work import Work, add_all, find_smallest, say, split_into_primes


class FactorialTrailingZeroCount(Environment[int]):
    """Count the trailing zeros of a factorial in a given base.

    At low levels, three in five draws have the answer 0 or 1, so such a draw is repeated once.
    """

    MAX_N_K: int
    N: int
    K: int
    reference_answer: int

    max_difficulty = 120  # at 145, numbers are too large to factorise

    template = """
        How many trailing zeros does {N}! (the factorial of {N}) have when it is written in base
        {K}? The numbers {N} and {K} themselves are given in base 10.

        Output format: one integer in base 10, the number of trailing zeros.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_K": grow(10, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_K: int) -> Self:
        return prefer(lambda: cls.draw(rng, MAX_N_K), lambda p: p.reference_answer > 1, tries=2)

    @classmethod
    def draw(cls, rng: Random, MAX_N_K: int) -> Self:
        N, K = rng.randint(3, MAX_N_K), rng.randint(2, MAX_N_K)
        return cls(MAX_N_K=MAX_N_K, N=N, K=K, reference_answer=trailing_zeros(N, K))

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield f"The number of zeros is how often the factor {self.K} can be taken out of {self.N}!."
        yield f"Count each prime factor of {self.K} in {self.N}!: one for each multiple of it up to"
        yield f"{self.N}, one more for each multiple of its square, and so on."
        yield "The prime that runs out first decides."
        primes = Counter((yield from split_into_primes(self.K)))
        limits: list[int] = []
        for p, often in primes.items():
            counts: list[int] = []
            rest = self.N
            while rest:
                power = f"{p}^{len(counts) + 1}" if counts else f"{p}"
                yield f"Multiples of {power}: {yield from say('//', rest, p)}"
                rest //= p
                counts.append(rest)
            total = yield from add_all([c for c in counts if c])
            by = yield from say("//", total, often)
            yield f"The prime {p} occurs {counted(total, 'time')}; a zero needs {often}: {by}"
            limits.append(total // often)
        zeros = (yield from find_smallest(limits)) if len(limits) > 1 else limits[0]
        yield f"So the number of zeros is {zeros}"
        return str(zeros)


def trailing_zeros(N: int, K: int) -> int:
    """The largest e for which K^e divides N!."""
    return min(factorial_valuation(N, p) // exponent for p, exponent in factorise(K).items())
