from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.rewards import WRONG, closeness
from rlve.work import Work, add_all, power, to_binary


class SubsetSumSequence(Environment[int]):
    """Find a term of the ascending sequence of all sums of different powers of a number.

    At difficulty 0 the powers are those of 2, so the answer is the index itself.
    """

    MAX_N: int
    MAX_K: int
    N: int
    K: int
    reference_answer: int

    max_difficulty = 1_000  # the highest difficulty measured

    template = """
        Let K = {K}. Take all sums of one or more different powers of K, where K^0 = 1 is a power of
        K, and put them in ascending order. The sequence begins with 1, K, K + 1, K^2.

        The terms are numbered 1, 2, 3, ... What is term number {N}?

        Output format: one positive integer, the term in decimal notation.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": 3 * 2**d, "MAX_K": 2 + d}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int, MAX_K: int) -> Self:
        N, K = rng.randint(1, MAX_N), rng.randint(2, MAX_K)
        return cls(MAX_N=MAX_N, MAX_K=MAX_K, N=N, K=K, reference_answer=term(N, K))

    def parse(self, text: str) -> int:
        return integer(text, low=1, max_digits=4000)

    def score(self, answer: int) -> float:
        if not is_term(answer, self.K):
            return WRONG
        return closeness(answer, self.reference_answer) ** 2

    def work(self) -> Work[str]:
        yield "A power is larger than all smaller ones together, so the sums come in the order of"
        yield f"binary numbers: term {self.N} takes the powers at the ones of {self.N} in binary."
        bits = yield from to_binary(self.N)
        powers: list[int] = []
        for k in (k for k, bit in enumerate(reversed(bits)) if bit == "1"):
            powers.append((yield from power(self.K, k)))
        total = yield from add_all(powers)
        yield f"So the term is {total}"
        return str(total)


def term(N: int, K: int) -> int:
    """The binary digits of N, read in base K."""
    return sum(K**i for i in range(N.bit_length()) if N >> i & 1)


def is_term(x: int, K: int) -> bool:
    """Whether the digits of x in base K are all 0 or 1."""
    while x:
        x, digit = divmod(x, K)
        if digit > 1:
            return False
    return True
