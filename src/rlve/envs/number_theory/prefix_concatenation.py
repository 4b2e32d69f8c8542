from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.rewards import exact


class PrefixConcatenation(Environment[int]):
    """Find the remainder of the number obtained by writing 1, 2, 3, ..., N in a row."""

    MAX_N: int
    N: int
    M: int
    reference_answer: int

    max_difficulty = 600  # at 730, generating a problem takes too long

    template = """
        Writing the integers from 1 to 12 one after the other gives the number 123456789101112.
        Write the integers from 1 to {N} like this. What is the remainder of that number when
        divided by {M}?

        Output format: one integer from 0 to {largest}, the remainder.
        """

    def prompt(self) -> str:
        return self.fill(largest=self.M - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": 64 * 2**d}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int) -> Self:
        N, M = rng.randint(2, MAX_N), rng.randint(3, 1_000_000)
        return cls(MAX_N=MAX_N, N=N, M=M, reference_answer=concatenation(N, M))

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)


def concatenation(N: int, M: int) -> int:
    """The remainder modulo M, one step for each number of digits."""
    value, first, base = 0, 1, 10
    while first <= N:
        last = min(N, base - 1)
        value = (value * pow(base, last - first + 1, M) + block(first, last, base, M)) % M
        first, base = base, base * 10
    return value


def block(first: int, last: int, base: int, M: int) -> int:
    """The number with the digits first, first + 1, ..., last in the given base, modulo M.

    That is the sum of (last - i) * base^i over all i below the count of digits. Multiplied by
    (base - 1)^2 it has a closed form, from which it is recovered by an exact division.
    """
    count = last - first + 1
    scale = (base - 1) ** 2
    modulus = M * scale
    top = pow(base, count, modulus)
    constant_part = last * (top - 1) * (base - 1)
    linear_part = base - count * top + (count - 1) * top * base
    return (constant_part - linear_part) % modulus // scale
