from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.foundation.pictures import Points
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import lines, spaced

MAX_COEFFICIENT = 5


class PolynomialInterpolation(Environment[list[int]]):
    """Find the coefficients of a polynomial from its values at enough points."""

    N: int  # the degree
    coeffs: list[int]  # of x^i at index i
    reference_answer: str
    X: list[int]
    Y: list[int]

    max_difficulty = 25  # at 31, a prompt exceeds 32,000 characters
    picture = Points(None, "X", "Y")

    template = """
        f(x) = a_0 + a_1*x + a_2*x^2 + ... + a_N*x^N is a polynomial of degree N = {N} with integer
        coefficients. These are its values at {count} points:

        {values}

        Find its coefficients.

        Output format: one line with the {count} integers a_0 to a_{N} in this order, the
        constant term first, separated by spaces.
        """

    def prompt(self) -> str:
        points = zip(self.X, self.Y, strict=True)
        return self.fill(count=self.N + 1, values=lines(f"f({x}) = {y}" for x, y in points))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(2, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        coeffs = [rng.randint(-MAX_COEFFICIENT, MAX_COEFFICIENT) for _ in range(N)]
        coeffs.append(rng.randint(1, MAX_COEFFICIENT))
        X = rng.sample(range(-N, N + 1), N + 1)
        Y = [sum(a * x**i for i, a in enumerate(coeffs)) for x in X]
        return cls(N=N, coeffs=coeffs, reference_answer=spaced(coeffs), X=X, Y=Y)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N + 1:
            return INVALID
        right = sum(a == gold for a, gold in zip(answer, self.coeffs, strict=True))
        return ratio(right, self.N + 1) ** 10
