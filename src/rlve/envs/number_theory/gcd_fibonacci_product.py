from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.floor_sums import coprime_pairs, mertens, quotient_blocks
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact_residue
from rlve.work import Work, count_by_gcd, multiply_mod, power, power_mod

MODULI = (666623333, 998244353, 1000000007)


class GCDFibonacciProduct(Environment[int]):
    """Multiply the Fibonacci numbers at all greatest common divisors, modulo a prime.

    At difficulty 0, only the answers 2, 6 and 30 are possible.
    """

    MAX_N_M: int
    N: int
    M: int
    MOD: int
    reference_answer: int

    guessable = "At difficulty 0, only the answers 2, 6 and 30 are possible."

    max_difficulty = 25  # at 32, generating a problem takes too long

    template = """
        The Fibonacci numbers are f(0) = 0, f(1) = 1 and f(n) = f(n-1) + f(n-2) for every n >= 2.

        Compute the product of f(gcd(i, j)) over all pairs of integers (i, j) with 1 <= i <= {N} and
        1 <= j <= {M}, where gcd is the greatest common divisor. Give the product modulo {MOD}.

        Output format: one integer from 0 to {last}.
        """

    def prompt(self) -> str:
        return self.fill(last=self.MOD - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": grow(5, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        N, M, MOD = rng.randint(3, MAX_N_M), rng.randint(3, MAX_N_M), rng.choice(MODULI)
        return cls(
            MAX_N_M=MAX_N_M, N=N, M=M, MOD=MOD, reference_answer=fibonacci_product(N, M, MOD)
        )

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, self.MOD)

    def work(self) -> Work[str]:
        yield "f(1) = 1 and f(2) = 1 change nothing, so only a gcd of 3 or more matters."
        pairs = yield from count_by_gcd(self.N, self.M, least=3)
        product, before, value = 1, 1, 1
        for g in sorted(pairs):
            before, value = value, before + value
            yield f"f({g}) = {value - before} + {before} = {value}, pairs: {pairs[g]}"
            if value ** pairs[g] < self.MOD:
                factor = yield from power(value, pairs[g])
            else:
                factor = yield from power_mod(value, pairs[g], self.MOD)
            product = yield from multiply_mod(product, factor, self.MOD)
        yield f"So the product is {product}"
        return str(product)


def fibonacci_product(N: int, M: int, MOD: int) -> int:
    """The product; gcd(i, j) = t for as many pairs as there are coprime pairs up to N/t and M/t."""
    moebius_sum = mertens(min(N, M))
    product, current, following = 1, 0, 1
    for first, last in quotient_blocks(min(N, M), N, M):
        block = 1
        for _ in range(first, last + 1):
            current, following = following, (current + following) % MOD
            block = block * current % MOD
        pairs = coprime_pairs(N // first, M // first, moebius_sum)
        product = product * pow(block, pairs, MOD) % MOD
    return product
