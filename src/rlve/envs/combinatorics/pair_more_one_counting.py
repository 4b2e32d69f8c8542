from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.combinatorics import binomial_modulo_prime_power
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import INVALID, exact
from rlve.text import counted


class PairMoreOneCounting(Environment[int]):
    """Count the pairs of binary strings in which the first has more ones than the second."""

    MAX_M: int
    MAX_delta: int
    M: int
    delta: int
    K: int
    reference_answer: int

    max_difficulty = 70  # at 85, generating a problem takes too long

    template = """
        Count the pairs (S, T) in which S is a string of {bits_S} and T is a string of {bits_T}, and
        S contains strictly more ones than T. Strings may start with zeros.

        Give the count modulo 10^{K}.

        Output format: one integer from 0 to {largest}, without leading zeros.
        """

    def prompt(self) -> str:
        return self.fill(
            bits_S=counted(self.M + self.delta, "bit"),
            bits_T=counted(self.M, "bit"),
            largest=10**self.K - 1,
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_M": 10 * 2**d, "MAX_delta": grow(5, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_M: int, MAX_delta: int) -> Self:
        M, delta, K = rng.randint(1, MAX_M), rng.randint(0, MAX_delta), rng.randint(1, 5)
        return cls(
            MAX_M=MAX_M,
            MAX_delta=MAX_delta,
            M=M,
            delta=delta,
            K=K,
            reference_answer=count_pairs(M, delta, K),
        )

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        if not 0 <= answer < 10**self.K:
            return INVALID
        return exact(answer == self.reference_answer)


def count_pairs(M: int, delta: int, K: int) -> int:
    """The number of pairs modulo 10^K.

    S has more ones than T if S and the complement of T together have more than M. That leaves the
    upper part of a row of Pascal's triangle: half of the row, apart from its middle.
    """
    bits = 2 * M + delta
    twos: int = 2 ** (K + 1)  # twice the count is needed modulo twos * fives
    fives: int = 5**K
    if delta:
        middle, sign = range(M + 1, M + delta), 1
    else:
        middle, sign = range(M, M + 1), -1
    modulo_twos = sum(binomial_modulo_prime_power(bits, k, 2, K + 1) for k in middle)
    modulo_fives = sum(binomial_modulo_prime_power(bits, k, 5, K) for k in middle)
    lift = (modulo_fives - modulo_twos) * pow(twos, -1, fives) % fives
    double = pow(2, bits, twos * fives) + sign * (modulo_twos + twos * lift)
    return double % (twos * fives) // 2
