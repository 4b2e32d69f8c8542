from itertools import accumulate, combinations
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.rewards import exact
from rlve.sampling.rejection import spread
from rlve.text import indexed


class SubarraySumXor(Environment[int]):
    """Compute the XOR of the sums of all subarrays.

    The answers of several draws are made equally likely, as 0 would be frequent at low levels.
    """

    N: int
    A: list[int]
    reference_answer: int

    max_difficulty = 800  # at 1000, generating a problem takes too long

    template = """
        Here is an array A of {N} integers:

        {A}

        For each of the {count} pairs (i, j) with 1 <= i <= j <= {N}, take the sum
        A[i] + ... + A[j]. Compute the bitwise XOR of all these {count} sums; a sum that occurs for
        several pairs goes in once for each of them.

        Output format: one integer, the XOR.
        """

    def prompt(self) -> str:
        return self.fill(A=indexed("A", self.A, start=1), count=self.N * (self.N + 1) // 2)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": d + 3}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        A = spread(rng, lambda: [rng.randint(0, N) for _ in range(N)], by=xor_of_sums)
        return cls(N=N, A=A, reference_answer=xor_of_sums(A))

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)


def xor_of_sums(A: list[int]) -> int:
    result = 0
    for before, until in combinations(accumulate(A, initial=0), 2):
        result ^= until - before
    return result
