from math import gcd
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.rewards import exact
from rlve.sampling.rejection import redraw
from rlve.work import Work, multiply, subtract


class MinNoSolutionLinearDiophantineEquation(Environment[int]):
    """Find the largest integer that is not a non-negative combination of two coprime integers.

    The published name says Min, but the task asks for the largest such integer.
    """

    MAX_A_B: int
    A: int
    B: int
    reference_answer: int

    max_difficulty = 1_000  # the highest difficulty measured

    template = """
        Consider the equation {A} * x + {B} * y = z, where x and y must be non-negative integers.

        What is the largest non-negative integer z for which the equation has no solution (x, y)?
        (There is a largest one, because {A} and {B} are coprime.)

        Output format: one integer, z.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_A_B": 16 * 2**d}]

    @classmethod
    def sample(cls, rng: Random, MAX_A_B: int) -> Self:
        A, B = redraw(
            lambda: (rng.randint(2, MAX_A_B), rng.randint(2, MAX_A_B)),
            lambda pair: gcd(*pair) == 1,
        )
        return cls(MAX_A_B=MAX_A_B, A=A, B=B, reference_answer=A * B - A - B)  # Sylvester

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        A, B = self.A, self.B
        yield f"{A} * x has each remainder modulo {B} for exactly one x from 0 to {B} - 1."
        yield f"So each z is {A} * x + {B} * y with one such x; there is no solution if that y < 0."
        yield f"The largest such z has x = {B} - 1 = {B - 1} and y = -1."
        product = yield from multiply(A, B - 1)
        z = yield from subtract(product, B)
        yield f"So z = {z}"
        return str(z)
