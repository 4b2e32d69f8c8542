from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.polynomials import series_coefficient
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact_residue
from rlve.sampling.strings import random_string
from rlve.work import Work


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

    def work(self) -> Work[str]:
        m = len(self.pattern)
        yield "Count strings by k: they end with the first k digits of the pattern, and not with"
        yield "more of them. These are the changes when a digit comes next:"
        steps = [
            [matched(self.pattern[:k] + digit, self.pattern) for digit in "01"] for k in range(m)
        ]
        for k, (zero, one) in enumerate(steps):
            yield f"k = {k}: 0 leads to {zero}, 1 leads to {one}"
        yield f"k = {m} is not allowed. The counts for k = 0 to {m - 1}, modulo {self.MOD}:"
        counts = [1, *[0] * (m - 1)]
        yield f"Length 0: {', '.join(map(str, counts))}"
        for length in range(1, self.N + 1):
            shown: list[str] = []
            after: list[int] = []
            for k in range(m):
                text, total = sum_of(
                    [counts[j] for j in range(m) for to in steps[j] if to == k], self.MOD
                )
                shown.append(text)
                after.append(total)
            yield f"Length {length}: {'; '.join(shown)}"
            counts = after
        text, total = sum_of(counts, self.MOD)
        yield f"Together: {text}"
        return str(total)


def sum_of(terms: list[int], modulus: int) -> tuple[str, int]:
    """How a sum is made, and what it is; the modulus is taken off when it is reached."""
    total, steps = 0, list[str]()
    for term in terms:
        less = f" - {modulus}" if total + term >= modulus else ""
        after = (total + term) % modulus
        if total or less:
            steps.append(f"{total}{less} + {term} = {after}")
        total = after
    return ", ".join(steps) or str(total), total


def matched(text: str, pattern: str) -> int:
    """How many digits of the pattern a text ends with, at most."""
    return max(k for k in range(len(pattern) + 1) if text.endswith(pattern[:k]))


def count_without(pattern: str, N: int, MOD: int) -> int:
    """Guibas and Odlyzko: the counts have the generating function c / (x^m + (1 - 2x) * c).

    Here m is the length of the pattern, and c the sum of x^k over all shifts k < m by which the
    pattern agrees with itself.
    """
    m = len(pattern)
    shifts = [int(pattern.endswith(pattern[: m - k])) for k in range(m)]
    denominator = [a - 2 * b for a, b in zip([*shifts, 1], [0, *shifts], strict=True)]
    return series_coefficient(shifts, denominator, N, MOD)
