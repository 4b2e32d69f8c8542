from fractions import Fraction
from random import Random

import pytest

from rlve.algorithms.polynomials import (
    expanded,
    polynomial_derivative,
    polynomial_value,
    series_coefficient,
)


def test_evaluate_is_exact():
    assert polynomial_value([], 3) == 0
    assert polynomial_value([1, 2, 3], 2) == 17
    assert polynomial_value([1, 2, 3], Fraction(-1, 3)) == Fraction(2, 3)
    assert polynomial_value([0, 0, 1], 0.1) == Fraction(0.1) ** 2


def test_derivative():
    assert polynomial_derivative([7]) == []
    assert polynomial_derivative([7, 6, 5, 4]) == [6, 10, 12]


@pytest.mark.parametrize(
    ("coefficients", "text"),
    [
        ([5, -1, 0, 2], "2*x^3 - x + 5"),
        ([-5, 1, -1], "-x^2 + x - 5"),
        ([0, -3], "-3*x"),
        ([1, 1, 1], "x^2 + x + 1"),
        ([0, 0], "0"),
    ],
)
def test_expanded(coefficients, text):
    assert expanded(coefficients) == text


def test_series_coefficient_agrees_with_long_division():
    for seed in range(100):
        rng = Random(seed)
        modulus = rng.randint(1, 50)
        numerator = [rng.randint(-9, 9) for _ in range(rng.randint(1, 5))]
        denominator = [1, *(rng.randint(-9, 9) for _ in range(rng.randint(0, 4)))]
        rest = numerator + [0] * 20
        for n in range(16):
            assert series_coefficient(numerator, denominator, n, modulus) == rest[n] % modulus
            for i, c in enumerate(denominator[1:], 1):
                rest[n + i] -= rest[n] * c
