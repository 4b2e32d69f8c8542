"""Evaluating expressions at many real points, with a bound on the rounding error of each value.

Everything is real: if a part of the expression has no real value, such as the square root or the
logarithm of a negative number, the whole has none and is nan. The bounds are carried through all
operations by the mean value theorem; cancellation, poles and overflow make them large.
"""

from fractions import Fraction
from math import e, inf, nan, pi
from typing import TYPE_CHECKING, NamedTuple

from rlve.algorithms.expressions.nodes import (
    Constant,
    Expression,
    Function,
    Number,
    Power,
    Product,
    Sum,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EPSILON = 2.0**-50  # relative error of one operation: four units in the last place
TINY = 1e-300  # absolute error of one operation, in case it underflows

_CONSTANTS = {"pi": pi, "E": e, "I": nan}
_NUMPY_NAMES = {
    "Abs": "abs",
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "asinh": "arcsinh",
}


class Values(NamedTuple):
    """The values of an expression at some points, and bounds on their errors."""

    value: "NDArray[np.float64]"
    error: "NDArray[np.float64]"


def evaluate(
    expression: Expression, points: "NDArray[np.float64]", *, continued: bool = False
) -> Values:
    """The values of the expression where its variable has these values.

    With `continued`, log(u) of a negative u is log(-u), and atanh(u) continues beyond -1 and 1 in
    the same way: these are the real parts of the complex functions, with the same derivatives.
    """
    import numpy as np

    with np.errstate(all="ignore"):
        value, error = _Evaluation(points, continued).of(expression)
        return Values(value + np.zeros_like(points), error + np.zeros_like(points))


class _Evaluation:
    """Keeps the values of all parts: derivatives have many parts in common."""

    def __init__(self, points: "NDArray[np.float64]", continued: bool) -> None:
        self.points = points
        self.continued = continued
        self.known: dict[Expression, Values] = {}

    def of(self, node: Expression) -> Values:
        if node not in self.known:
            self.known[node] = self._compute(node)
        return self.known[node]

    def _compute(self, node: Expression) -> Values:
        match node:
            case Number(value):
                return _number(value)
            case Constant(name):
                return _rounded(_CONSTANTS[name])
            case Sum(terms):
                return _sum([self.of(term) for term in terms])
            case Product(factors):
                return _product([self.of(factor) for factor in factors])
            case Power(base, Number(exponent)) if exponent.denominator == 1:
                return _whole_power(self.of(base), exponent.numerator)
            case Power(base, exponent):
                return _power(self.of(base), self.of(exponent))
            case Function(name, argument):
                return self._function(name, self.of(argument))
            case _:
                return Values(self.points, _exactly(0.0))

    def _function(self, name: str, argument: Values) -> Values:
        import numpy as np

        u, error = argument
        size = np.abs(u)
        match name:
            case "sin" | "cos" | "atan" | "tanh" | "asinh" | "Abs":
                value = _numpy(name)(u)  # none is steeper than 1
            case "exp":
                value = np.exp(u)
                error = value * np.expm1(error)
            case "log":
                value = np.log(size if self.continued else u)
                error = _quotient(error, size - error)
            case "tan":
                value = np.tan(u)
                step = np.tan(np.where(error < 1, error, inf))
                error = _quotient(step * (1 + value * value), 1 - step * np.abs(value))
            case "asin" | "acos":
                value = _numpy(name)(u)
                error = _quotient(error, np.sqrt(1 - (size + error) ** 2))
            case "sinh" | "cosh":
                value = _numpy(name)(u)
                error = error * np.cosh(size + error)
            case "acosh":
                value = np.arccosh(u)
                error = _quotient(error, np.sqrt((u - error) ** 2 - 1))
            case "atanh":
                value = np.log(np.abs((1 + u) / (1 - u))) / 2 if self.continued else np.arctanh(u)
                error = _quotient(error, np.abs(1 - u * u) - error * (2 * size + error))
            case _:
                raise ValueError(f"no function {name!r}")
        return Values(value, error + EPSILON * np.abs(value) + TINY)


def _numpy(name: str) -> "np.ufunc":
    import numpy as np

    return getattr(np, _NUMPY_NAMES.get(name, name))


def _number(value: Fraction) -> Values:
    try:
        nearest = float(value)
    except OverflowError:
        return _rounded(nan)
    if value.denominator == 1 and abs(nearest) < 2**53:
        return Values(_exactly(nearest), _exactly(0.0))
    return _rounded(nearest)


def _rounded(value: float) -> Values:
    return Values(_exactly(value), _exactly(abs(value) * EPSILON + TINY))


def _exactly(value: float) -> "NDArray[np.float64]":
    import numpy as np

    return np.array(value)


def _sum(terms: list[Values]) -> Values:
    import numpy as np

    value, error = terms[0]
    size = np.abs(value)
    for term in terms[1:]:
        value = value + term.value
        error = error + term.error
        size = size + np.abs(term.value)
    return Values(value, error + size * (EPSILON * len(terms) / 8))


def _product(factors: list[Values]) -> Values:
    import numpy as np

    value, error = factors[0]
    for factor in factors[1:]:
        grown = np.abs(factor.value) + factor.error
        error = np.abs(value) * factor.error + error * grown
        value = value * factor.value
        error = error + EPSILON * np.abs(value) + TINY
    return Values(value, error)


def _whole_power(base: Values, whole: int) -> Values:
    import numpy as np

    exponent = float(whole) if abs(whole) < 2**53 else nan
    value = np.power(base.value, exponent)
    size = np.abs(base.value)
    if exponent > 0:
        steepest = np.power(size + base.error, exponent - 1)
    else:
        steepest = np.power(np.maximum(size - base.error, 0.0), exponent - 1)
    error = abs(exponent) * steepest * base.error
    return Values(value, error + EPSILON * np.abs(value) + TINY)


def _power(base: Values, exponent: Values) -> Values:
    """A power as exp(exponent * log(base)), for positive bases."""
    import numpy as np

    b = np.where(base.value > 0, base.value, nan)
    value = np.power(b, exponent.value)
    in_base = -np.log1p(-base.error / b) * (np.abs(exponent.value) + exponent.error)
    in_exponent = np.abs(np.log(b)) * exponent.error
    return Values(value, value * np.expm1(in_base + in_exponent) + EPSILON * value + TINY)


def _quotient(error: "NDArray[np.float64]", least: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """An error divided by the least that the slope's reciprocal can be; no bound if that is 0."""
    import numpy as np

    return np.where(least > 0, error / least, inf)
