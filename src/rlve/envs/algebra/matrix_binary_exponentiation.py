from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.modular import matrix_power
from rlve.answers import integer_rows
from rlve.foundation.pictures import Grid
from rlve.rewards import ratio
from rlve.text import grid

MOD = 10_000


class Matrix_BinaryExponentiation(Environment[list[list[int]]]):
    """Compute a power of a matrix modulo 10000."""

    N: int
    MAX_K: int
    K: int
    A: list[list[int]]
    gold_answer: list[list[int]]
    reference_answer: str

    max_difficulty = 1_000  # the highest difficulty measured
    picture = Grid("A", answer="beside")

    template = """
        A is this matrix with {N} rows and {N} columns:

        {A}

        Compute the matrix power A^K for K = {K}, that is, the product of {K} factors A. Give each
        entry as its remainder from 0 to {largest} when it is divided by {mod}.

        Output format: {N} lines, one for each row of the result from top to bottom, each with {N}
        integers separated by spaces. A matrix of zeros would be written so:

        {zeros}
        """

    def prompt(self) -> str:
        zeros = [[0] * self.N] * self.N
        return self.fill(A=grid(self.A), zeros=grid(zeros), mod=MOD, largest=MOD - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": N, "MAX_K": 2 ** (d + 1)} for N in (2, 3, 5, 10)]

    @classmethod
    def sample(cls, rng: Random, N: int, MAX_K: int) -> Self:
        K = rng.randint(2, MAX_K)
        A = [[rng.randrange(MOD) for _ in range(N)] for _ in range(N)]
        gold = matrix_power(A, K, MOD)
        return cls(N=N, MAX_K=MAX_K, K=K, A=A, gold_answer=gold, reference_answer=grid(gold))

    def parse(self, text: str) -> list[list[int]]:
        return integer_rows(text, rows=self.N, columns=self.N)

    def score(self, answer: list[list[int]]) -> float:
        rows = zip(answer, self.gold_answer, strict=True)
        right = sum(x == gold for a, b in rows for x, gold in zip(a, b, strict=True))
        return ratio(right, self.N**2) ** 5
