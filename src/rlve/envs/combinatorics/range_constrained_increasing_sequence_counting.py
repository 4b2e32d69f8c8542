from itertools import accumulate
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.foundation.pictures import Intervals
from rlve.levels import grow
from rlve.rewards import exact_residue
from rlve.text import lines

MODULUS = 10**9 + 7


class RangeConstrained_IncreasingSequence_Counting(Environment[int]):
    """Count the strictly increasing choices of values from ranges, some of which may be skipped."""

    N: int
    L: list[int]
    R: list[int]
    reference_answer: int

    max_difficulty = 25  # at 35, generating a problem takes too long
    picture = Intervals(None, "L", "R")

    template = """
        Each index i from 0 to {last} is given a value f[i], which is either 0 or an integer from
        L[i] to R[i], both ends included:

        {ranges}

        Count the assignments of values that satisfy both conditions:
        - at least one value is not 0;
        - for all i < j with f[i] and f[j] both not 0, f[i] < f[j].

        Give the count modulo {modulus}.

        Output format: one integer from 0 to {largest}.
        """

    def prompt(self) -> str:
        bounds = zip(self.L, self.R, strict=True)
        return self.fill(
            last=self.N - 1,
            ranges=lines(f"L[{i}]={low} R[{i}]={high}" for i, (low, high) in enumerate(bounds)),
            modulus=MODULUS,
            largest=MODULUS - 1,
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(2, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        L = [rng.randint(1, N * N) for _ in range(N)]
        R = [rng.randint(low, N * N) for low in L]
        return cls(N=N, L=L, R=R, reference_answer=count_sequences(L, R) % MODULUS)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, MODULUS)


def count_sequences(L: list[int], R: list[int]) -> int:
    """The number of assignments, by the last value that is not 0."""
    ending_at = [1] + [0] * max(R)  # 0: no value yet
    for low, high in zip(L, R, strict=True):
        up_to = list(accumulate(ending_at))
        for value in range(low, high + 1):
            ending_at[value] += up_to[value - 1]
    return sum(ending_at[1:])
