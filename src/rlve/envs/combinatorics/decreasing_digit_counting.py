from math import comb
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.rewards import closeness
from rlve.sampling.rejection import prefer
from rlve.text import counted
from rlve.work import Work, add_to, binomial, divide, subtract


class DecreasingDigitCounting(Environment[int]):
    """Count the numbers of limited length whose digits in base 2^K strictly increase.

    W is redrawn if it excludes no number with increasing digits, as is usual at d = 0.
    """

    MAX_K: int
    MAX_W: int
    K: int
    W: int
    reference_answer: int

    guessable = "With K = 2, W - 1 is right: in all problems at d = 0, and in a quarter at d = 3."

    max_difficulty = 11  # up to 2^(2^K) with K = 2 + d: 2,466 digits at 11, but 4,932 at 12

    template = """
        Count the integers R > 0 for which all of the following hold:
        - written in base {base} (that is, 2^{K}) without leading zeros, R has at least 2 digits;
        - each of these digits, except the last one, is strictly smaller than the digit immediately
          to its right;
        - written in binary without leading zeros, R has at most {W} bits.

        Output format: one integer, the exact number of such R, in decimal notation.
        """

    def prompt(self) -> str:
        return self.fill(base=2**self.K)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        MAX_K = 2 + d
        return [{"MAX_K": MAX_K, "MAX_W": MAX_K * 2**MAX_K}]

    @classmethod
    def sample(cls, rng: Random, MAX_K: int, MAX_W: int) -> Self:
        K = rng.randint(2, MAX_K)
        W = prefer(
            lambda: rng.randint(K + 1, min(MAX_W, K * 2**K)),
            until=lambda bits: bits <= longest(K),
        )
        return cls(MAX_K=MAX_K, MAX_W=MAX_W, K=K, W=W, reference_answer=increasing(K, W))

    def parse(self, text: str) -> int:
        return integer(text, low=0, max_digits=4000)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        digits = 2**self.K - 1
        yield f"The digits increase, so none is 0, which leaves 2^{self.K} - 1 = {digits}."
        yield f"A number with m digits is a choice of m of these {digits} digits."
        yield f"Each digit has {self.K} bits."
        full, rest = yield from divide(self.W, self.K)
        yield f"So {self.W} bits are {counted(full, 'digit')} and {counted(rest, 'bit')}"
        total = 0
        for m in range(2, min(full, digits) + 1):
            sets = yield from binomial(digits, m)
            total = yield from add_to(total, sets, f"m = {m}: {sets}")
        if rest and full < digits:
            small = 2**rest - 1
            yield (
                f"{full} + 1 = {full + 1} digits fit if and only if "
                f"the first is at most 2^{rest} - 1 = {small}:"
            )
            sets = yield from binomial(digits, full + 1)
            yield (
                f"Take away the choices out of the {digits} - {small} "
                f"= {digits - small} larger digits"
            )
            large = (yield from binomial(digits - small, full + 1)) if full < digits - small else 0
            value = yield from subtract(sets, large)
            total = yield from add_to(total, value, f"m = {full + 1}: {value}")
        yield f"So the number of integers is {total}"
        return str(total)


def longest(K: int) -> int:
    """The number of bits of the number with all the digits 1, 2, ..., 2^K - 1."""
    return K * (2**K - 2) + 1


def increasing(K: int, W: int) -> int:
    """The number of integers with increasing digits in base 2^K and at most W bits, for W >= K.

    A number with m digits is a set of m of the digits 1, ..., 2^K - 1. If W is not a multiple of K,
    there is room for one more digit if it is small; numbers without a small digit do not fit.
    """
    digits = 2**K - 1
    full, rest = divmod(W, K)
    count, sets = 0, digits
    for m in range(2, min(full, digits) + 1):
        sets = sets * (digits - m + 1) // m
        count += sets
    if rest:
        count += comb(digits, full + 1) - comb(digits - (2**rest - 1), full + 1)
    return count
