from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.polynomials import series_coefficient
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact_residue
from rlve.sampling.strings import random_string


class NotContainingStringCounting(Environment[int]):
    """Count the binary strings that do not contain a given pattern, modulo a number."""

    MAX_N: int
    MAX_M: int
    N: int
    pattern: str
    MOD: int
    reference_answer: int

    max_difficulty = 35  # at 42, generating a problem takes too long

    template = """
        Here is a pattern of {length} digits, each 0 or 1:

        {pattern}

        How many of the 2^{N} strings of exactly {N} digits, each 0 or 1, do not contain the pattern
        as a contiguous substring? Give the number modulo {MOD}.

        Output format: one integer from 0 to {last}.
        """

    def prompt(self) -> str:
        return self.fill(length=len(self.pattern), last=self.MOD - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": 8 * 2**d, "MAX_M": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int, MAX_M: int) -> Self:
        N = rng.randint(3, MAX_N)
        length = rng.randint(2, min(N - 1, MAX_M))
        pattern = random_string(rng, length, rng.random())
        MOD = rng.randint(2, 10000)
        return cls(
            MAX_N=MAX_N,
            MAX_M=MAX_M,
            N=N,
            pattern=pattern,
            MOD=MOD,
            reference_answer=count_without(pattern, N, MOD),
        )

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, self.MOD)


def count_without(pattern: str, N: int, MOD: int) -> int:
    """Guibas and Odlyzko: the counts have the generating function c / (x^m + (1 - 2x) * c).

    Here m is the length of the pattern, and c the sum of x^k over all shifts k < m by which the
    pattern agrees with itself.
    """
    m = len(pattern)
    shifts = [int(pattern.endswith(pattern[: m - k])) for k in range(m)]
    denominator = [a - 2 * b for a, b in zip([*shifts, 1], [0, *shifts], strict=True)]
    return series_coefficient(shifts, denominator, N, MOD)
