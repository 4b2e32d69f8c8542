from fractions import Fraction

import pytest

from rlve.algorithms.polynomials import derivative, evaluate, expanded


def test_evaluate_is_exact():
    assert evaluate([], 3) == 0
    assert evaluate([1, 2, 3], 2) == 17
    assert evaluate([1, 2, 3], Fraction(-1, 3)) == Fraction(2, 3)
    assert evaluate([0, 0, 1], 0.1) == Fraction(0.1) ** 2


def test_derivative():
    assert derivative([7]) == []
    assert derivative([7, 6, 5, 4]) == [6, 10, 12]


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
