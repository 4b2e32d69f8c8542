from math import comb, inf
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.polynomials import expanded, polynomial_derivative, polynomial_value
from rlve.answers import decimal

MAX_SHIFT = 2
AS_GOOD = 0.95  # the reward of the reference answer; only a better one gets more


class PolynomialMinimum(Environment[float]):
    """Find where a convex polynomial takes its minimum.

    Values are computed exactly and rounded once, to floats like those stored. The reference answer
    is the best of all floats. If the minimum is at 0 (one problem in five at d = 0), an answer is
    right only if its value is exactly f(0).
    """

    N: int  # the degree, even
    coeffs: list[int]  # of x^i at index i
    reference_answer: float
    reference_value: float  # f(reference_answer)
    worst_value: float  # f(0)

    max_difficulty = 120  # at 145, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right

    template = """
        Find the real number x0 at which this polynomial takes its minimum m over all real numbers:

        f(x) = {f}

        The polynomial is convex. The answer is right if f(x0) - m <= (f(0) - m) / 1000, so if the
        minimum is at 0, nothing but 0 is right.

        Output format: one decimal number, only the value of x0, such as 12.3456.
        """

    def prompt(self) -> str:
        return self.fill(f=expanded(self.coeffs))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 2 + 2 * d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        coeffs = [0] * (N + 1)
        for k in range(2, N + 1, 2):
            factor, shift = rng.randint(1, 2), rng.randint(-MAX_SHIFT, MAX_SHIFT)
            for i in range(k + 1):  # factor * (x - shift)^k
                coeffs[i] += factor * comb(k, i) * (-shift) ** (k - i)
        best = minimiser(coeffs)
        return cls(
            N=N,
            coeffs=coeffs,
            reference_answer=best,
            reference_value=rounded_value(coeffs, best),
            worst_value=rounded_value(coeffs, 0),
        )

    @property
    def passing(self) -> float:
        return AS_GOOD * 0.999**5

    def parse(self, text: str) -> float:
        return decimal(text)

    def score(self, answer: float) -> float:
        value = rounded_value(self.coeffs, answer)
        best, worst = self.reference_value, self.worst_value
        if value >= worst:
            return AS_GOOD if value <= best else 0.0
        if value >= best:
            return AS_GOOD * ((worst - value) / (worst - best)) ** 5
        return AS_GOOD + (1 - AS_GOOD) / (1 + 1 / max(best - value, 1e-8))


def rounded_value(coeffs: list[int], x: float) -> float:
    """The exact value at x, rounded once, at the end; inf if it is too large for a float."""
    try:
        return float(polynomial_value(coeffs, x))
    except OverflowError:
        return inf


def minimiser(coeffs: list[int]) -> float:
    """The best of all floats, by bisection on the slope; no shift is beyond MAX_SHIFT."""
    slope = polynomial_derivative(coeffs)
    low, high = float(-MAX_SHIFT), float(MAX_SHIFT)
    while low < (middle := (low + high) / 2) < high:
        rise = polynomial_value(slope, middle)
        if rise == 0:
            return middle
        if rise < 0:
            low = middle
        else:
            high = middle
    return min(low, high, key=lambda x: polynomial_value(coeffs, x))
