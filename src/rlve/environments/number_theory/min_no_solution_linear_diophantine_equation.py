from math import gcd
from random import Random
from typing import Self

from rlve.answers import integer
from rlve.environment import Environment, Level
from rlve.rewards import exact
from rlve.sampling.rejection import redraw


class MinNoSolutionLinearDiophantineEquation(Environment[int]):
    """Find the largest integer that is no sum of non-negative multiples of two coprime numbers.

    The published name says "Min", but it is the largest such integer that is wanted.
    """

    MAX_A_B: int
    A: int
    B: int
    reference_answer: int

    template = """
        Find the largest integer z >= 0 for which the equation

        {A} * x + {B} * y = z

        has no solution in integers x >= 0 and y >= 0. There is a largest one, because {A} and {B}
        are coprime.

        Output format: one integer, z.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_A_B": 16 * 2**d}]

    @classmethod
    def sample(cls, rng: Random, MAX_A_B: int) -> Self:
        A, B = redraw(
            lambda: (rng.randint(2, MAX_A_B), rng.randint(2, MAX_A_B)),
            until=lambda pair: gcd(*pair) == 1,
        )
        return cls(MAX_A_B=MAX_A_B, A=A, B=B, reference_answer=A * B - A - B)  # Sylvester

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)
