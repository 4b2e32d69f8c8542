"""Telling apart expressions whose values agree as floats.

For a small h, (sin(x + h) - sin(x - h))/(2*h) is very close to cos(x). With many more digits a real
difference shows, while the rounding error of a zero difference shrinks as digits are added. At a
point where floats are good to several digits, DIGITS are good to more than RESOLUTION. There are so
many because quotients of eight values of sin, with h = 10**-9, agree to more than 60.
"""

from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from typing import Any

from rlve.algorithms.expressions.nodes import (
    Constant,
    Expression,
    Function,
    Number,
    Power,
    Product,
    Sum,
)

DIGITS = 320
RESOLUTION = 250  # digits; smaller differences count as equal: terms can drown them
LARGEST_ANGLE = 10**15
LARGEST_EXPONENT = 10**6

_NAMES = {"Abs": "fabs"}
_ANGLES = ("sin", "cos", "tan")
_EXPONENTS = ("exp", "sinh", "cosh", "tanh")


class _Undefined(ArithmeticError):
    """There is no real value, or none that can be computed."""


def agree(a: Expression, b: Expression, points: Iterable[float]) -> bool:
    """Whether a and b have the same values at all the points; one that cannot be computed differs.

    Otherwise a term that is too small to matter and too hard to compute, such as
    sin(10**16*x)/10**20, would hide every other difference.
    """
    return a == b or all(_agree_at(a, b, Fraction(point)) for point in points)


def _agree_at(a: Expression, b: Expression, point: Fraction) -> bool:
    mp = _context()
    try:
        one, other = map(_Evaluation(point).of, (a, b))
    except (_Undefined, ZeroDivisionError, ValueError, OverflowError):
        return False
    return abs(one - other) <= mp.mpf(10) ** -RESOLUTION * max(1, abs(one), abs(other))


@cache
def _context() -> Any:
    import mpmath

    context = mpmath.MPContext()
    context.dps = DIGITS
    return context


class _Evaluation:
    """Keeps the values of all parts at a point: an answer and a reference have many in common."""

    def __init__(self, point: Fraction) -> None:
        self._mp = _context()
        self._point = self._number(point)
        self._known: dict[Expression, Any] = {}

    def of(self, node: Expression) -> Any:
        """The real value."""
        if node not in self._known:
            value = self._mp.mpmathify(self._compute(node))
            if value.imag or not self._mp.isfinite(value):
                raise _Undefined
            self._known[node] = value.real
        return self._known[node]

    def _compute(self, node: Expression) -> Any:
        match node:
            case Number(value):
                return self._number(value)
            case Constant(name):
                return {"E": +self._mp.e, "pi": +self._mp.pi}.get(name, self._mp.nan)
            case Sum(terms):
                return self._mp.fsum(map(self.of, terms))
            case Product(factors):
                return self._mp.fprod(map(self.of, factors))
            case Power(base, exponent):
                return self._power(self.of(base), self.of(exponent))
            case Function(name, argument):
                return self._function(name, self.of(argument))
            case _:
                return self._point

    def _number(self, value: Fraction) -> Any:
        return self._mp.mpf(value.numerator) / value.denominator

    def _power(self, base: Any, exponent: Any) -> Any:
        if base and abs(self._mp.ln(abs(base)) * exponent) > LARGEST_EXPONENT:
            raise _Undefined
        return self._mp.power(base, exponent)

    def _function(self, name: str, u: Any) -> Any:
        if name in _ANGLES and abs(u) > LARGEST_ANGLE:
            raise _Undefined
        if name in _EXPONENTS and abs(u) > LARGEST_EXPONENT:
            raise _Undefined
        return getattr(self._mp, _NAMES.get(name, name))(u)
