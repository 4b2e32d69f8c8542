from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.combinatorics import fillings_with_maxima
from rlve.answers import integer
from rlve.foundation.pictures import Intervals
from rlve.rewards import exact_residue
from rlve.text import lines

MODULI = (666623333, 998244353, 1000000007)


class SingingGirlStory(Environment[int]):
    """Count the arrays in which given ranges have given maxima."""

    MAX_N_M: int
    N: int
    A: int  # the largest value allowed
    conditions: list[tuple[int, int, int]]  # (l, r, v), 1-based, inclusive
    MOD: int
    reference_answer: int

    max_difficulty = 600  # at 752, a prompt exceeds 32,000 characters
    picture = Intervals("conditions", first=1)

    template = """
        Count the arrays H[1] to H[{N}] of integers from 1 to {A} that satisfy all of these
        conditions:

        {conditions}

        Give the count modulo {MOD}.

        Output format: one integer from 0 to {largest}.
        """

    def prompt(self) -> str:
        conditions = lines(
            f"the maximum of all H[i] with {left} <= i <= {right} is exactly {v}"
            for left, right, v in self.conditions
        )
        return self.fill(conditions=conditions, largest=self.MOD - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        N = rng.randint(3, MAX_N_M)
        A = rng.randint(2, N)
        hidden = [rng.randint(1, A) for _ in range(N)]
        conditions: list[tuple[int, int, int]] = []
        for _ in range(rng.randint(1, MAX_N_M)):
            length = rng.randint(2, N)
            left = rng.randint(1, N - length + 1)
            right = left + length - 1
            conditions.append((left, right, max(hidden[left - 1 : right])))
        MOD = rng.choice(MODULI)
        maxima = [((1 << right) - (1 << (left - 1)), v) for left, right, v in conditions]
        return cls(
            MAX_N_M=MAX_N_M,
            N=N,
            A=A,
            conditions=conditions,
            MOD=MOD,
            reference_answer=fillings_with_maxima(N, A, maxima, MOD),
        )

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, self.MOD)
