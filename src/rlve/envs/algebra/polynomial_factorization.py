from collections import Counter
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.polynomials import expanded
from rlve.answers import integers
from rlve.rewards import ratio
from rlve.text import listed, spaced


class PolynomialFactorization(Environment[list[int]]):
    """Find the integer roots of a polynomial."""

    N: int  # the degree
    gold_answer: list[int]  # the roots
    reference_answer: str
    coefficients: list[int]  # of x^i at index i

    max_difficulty = 120  # at 170, a prompt exceeds 32,000 characters
    unique_up_to = sorted

    template = """
        A polynomial of degree {N} is given in expanded form:

        P(x) = {P}

        It is the product {product} for {N} integers a_i, which need
        not be different. Find them.

        Output format: one line with the {N} integers in any order, separated by spaces. A root of
        multiplicity k is written k times.
        """

    def prompt(self) -> str:
        return self.fill(
            P=expanded(self.coefficients), product=listed("(x - a_{})", 1, self.N, " * ")
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        roots = [rng.randint(-N, N) for _ in range(N)]
        coefficients = [1]
        for a in roots:  # multiply by x - a
            times_x, times_1 = [0, *coefficients], [*coefficients, 0]
            coefficients = [x - a * y for x, y in zip(times_x, times_1, strict=True)]
        return cls(
            N=N, gold_answer=roots, reference_answer=spaced(roots), coefficients=coefficients
        )

    def parse(self, text: str) -> list[int]:
        return integers(text, count=self.N)

    def score(self, answer: list[int]) -> float:
        right = (Counter(answer) & Counter(self.gold_answer)).total()
        return ratio(right, self.N) ** 5
