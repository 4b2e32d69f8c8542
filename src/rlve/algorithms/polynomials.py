"""Polynomials with integer coefficients, as lists: the coefficient of x^i is at index i."""

from collections.abc import Sequence
from fractions import Fraction


def polynomial_value(coefficients: Sequence[int], x: float | Fraction) -> Fraction:
    """The exact value at x: Horner's rule, with one fraction reduced at the end."""
    numerator, denominator = x.as_integer_ratio()
    value, power = 0, 1
    for coefficient in reversed(coefficients):
        value = value * numerator + coefficient * power
        power *= denominator
    return Fraction(value * denominator, power)


def polynomial_derivative(coefficients: Sequence[int]) -> list[int]:
    return [i * coefficient for i, coefficient in enumerate(coefficients)][1:]


def expanded(coefficients: Sequence[int]) -> str:
    """The polynomial as text, highest power first: 2*x^3 - x + 5."""
    terms = [_term(coefficient, i) for i, coefficient in enumerate(coefficients) if coefficient]
    return " + ".join(reversed(terms)).replace("+ -", "- ") or "0"


def _term(coefficient: int, exponent: int) -> str:
    if exponent == 0:
        return str(coefficient)
    power = "x" if exponent == 1 else f"x^{exponent}"
    return {1: power, -1: f"-{power}"}.get(coefficient, f"{coefficient}*{power}")


def product(a: Sequence[int], b: Sequence[int], modulus: int) -> list[int]:
    """a * b modulo the modulus; neither is empty."""
    coefficients = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b, i):
            coefficients[j] += x * y
    return [coefficient % modulus for coefficient in coefficients]


def series_coefficient(
    numerator: Sequence[int], denominator: Sequence[int], n: int, modulus: int
) -> int:
    """The coefficient of x^n in the power series of a fraction, modulo the modulus.

    The denominator starts with 1. Bostan and Mori: multiplying the fraction's two parts by
    denominator(-x) leaves only even powers in the denominator, so half of the powers can be
    dropped.
    """
    while n:
        mirrored = [-c if i % 2 else c for i, c in enumerate(denominator)]
        numerator = product(numerator, mirrored, modulus)[n % 2 :: 2] or [0]
        denominator = product(denominator, mirrored, modulus)[::2]
        n //= 2
    return numerator[0] % modulus
