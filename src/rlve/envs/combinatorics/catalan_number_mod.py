from itertools import accumulate
from math import comb
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact_residue
from rlve.work import Work, add_row, modulo

MAX_MOD = 1_000_000_000


class CatalanNumberMod(Environment[int]):
    """Count the permutations that increase in several ways, modulo a number.

    As long as the count is below most moduli, N alone decides the answer: there are two answers at
    difficulty 0, three at 1, and so on.
    """

    MAX_N: int
    N: int
    MOD: int
    reference_answer: int

    max_difficulty = 90  # at 105, generating a problem takes too long

    template = """
        Count the permutations A[1], A[2], ..., A[{length}] of the integers 1 to {length} for which
        all of the following hold:
        - A[i] < A[i + 2] for every i from 1 to {steps}, so the entries with odd indices increase,
          and so do the entries with even indices;
        - A[2i - 1] < A[2i] for every i from 1 to {N}.

        Give the number of permutations modulo {MOD}.

        Output format: one integer from 0 to {last}.
        """

    def prompt(self) -> str:
        return self.fill(length=2 * self.N, steps=2 * self.N - 2, last=self.MOD - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int) -> Self:
        N, MOD = rng.randint(2, MAX_N), rng.randint(2, MAX_MOD)
        return cls(MAX_N=MAX_N, N=N, MOD=MOD, reference_answer=catalan(N) % MOD)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, self.MOD)

    def work(self) -> Work[str]:
        yield (
            f"Put 1, 2, ..., {2 * self.N} into A in this order, each "
            "at the first free odd or even index."
        )
        yield "There must never be more at even indices than at odd ones."
        yield (
            "Row i: the ways with i at odd and j = 0, 1, ..., i at even indices, as the entry above"
        )
        yield "(the last one went to an odd index) plus the entry to the left (to an even one)."
        row = [1]
        yield "Row 0: 1"
        for i in range(1, self.N + 1):
            lefts = [0, *accumulate(row)]
            row = yield from add_row(f"Row {i}", zip([*row, 0], lefts, strict=True))
        answer = yield from modulo(row[-1], self.MOD)
        yield f"So the number is {answer}"
        return str(answer)


def catalan(n: int) -> int:
    """1, 2, ..., 2n are dealt to the odd and the even positions, the odd ones staying ahead."""
    return comb(2 * n, n) // (n + 1)
