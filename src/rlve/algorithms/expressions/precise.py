"""Telling apart expressions whose values agree as floats.

For a small h, (sin(x + h) - sin(x - h))/(2*h) is very close to cos(x). With many more digits a real
difference shows, and stays the same however many digits are used, while the rounding error of a
zero difference shrinks as digits are added.
"""

from decimal import Context, Decimal, DivisionByZero, InvalidOperation, Overflow, localcontext
from fractions import Fraction
from functools import cache

from rlve.algorithms.expressions.nodes import (
    Constant,
    Expression,
    Function,
    Number,
    Power,
    Product,
    Sum,
)

DIGITS, MORE_DIGITS = 80, 110
RESOLUTION = Decimal("1e-60")  # smaller differences count as equal: terms can drown them
LARGEST_ANGLE = 10**15
POINTS = [Decimal(16 * i + 3) / 24 - 2 for i in range(6)]  # of [-2, 2]

_SERIES_DIGITS = 30  # extra digits, for the size of the angle and for rounding


def differ(a: Expression, b: Expression) -> bool:
    """Whether a and b are known to have different values at one of some points of [-2, 2]."""
    return any(_differ_at(a, b, point) for point in POINTS)


def _differ_at(a: Expression, b: Expression, point: Decimal) -> bool:
    with localcontext(_context(MORE_DIGITS)):
        try:
            one, other = (_value(expression, point, DIGITS) for expression in (a, b))
            rough = one - other
            if abs(rough) <= RESOLUTION * max(1, abs(one), abs(other)):
                return False
            one, other = (_value(expression, point, MORE_DIGITS) for expression in (a, b))
            difference = one - other
            return abs(rough - difference) <= abs(difference) / 1000
        except (InvalidOperation, DivisionByZero, Overflow):
            return False  # not defined here


def _context(digits: int) -> Context:
    traps = [InvalidOperation, DivisionByZero, Overflow]
    return Context(prec=digits, Emax=10**6, Emin=-(10**6), traps=traps)


def _value(expression: Expression, point: Decimal, digits: int) -> Decimal:
    """The real value at the point; InvalidOperation if there is none."""
    known: dict[Expression, Decimal] = {}

    def value(node: Expression) -> Decimal:
        if node not in known:
            known[node] = compute(node)
        return known[node]

    def compute(node: Expression) -> Decimal:
        match node:
            case Number(number):
                return _decimal(number)
            case Constant(name):
                return _constant(name)
            case Sum(terms):
                return sum(map(value, terms), Decimal(0))
            case Product(factors):
                product = Decimal(1)
                for factor in factors:
                    product *= value(factor)
                return product
            case Power(base, exponent):
                return value(base) ** value(exponent)
            case Function(name, argument):
                return _function(name, value(argument))
            case _:
                return point

    with localcontext(_context(digits)):
        return value(expression)


def _decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)


def _constant(name: str) -> Decimal:
    if name == "E":
        return Decimal(1).exp()
    if name == "pi":
        return +_pi()
    raise InvalidOperation(f"{name} has no real value")


def _function(name: str, u: Decimal) -> Decimal:
    match name:
        case "Abs":
            return abs(u)
        case "exp":
            return u.exp()
        case "log":
            return u.ln()
        case "sin":
            return _sine(u)
        case "cos":
            return _sine(u, quarters=1)
        case "tan":
            return _sine(u) / _sine(u, quarters=1)
        case "atan":
            return _arctangent(u)
        case "asin":
            return _arctangent(u / (1 - u * u).sqrt())
        case "acos":
            return _pi() / 2 - _arctangent(u / (1 - u * u).sqrt())
        case "sinh":
            return (u.exp() - (-u).exp()) / 2
        case "cosh":
            return (u.exp() + (-u).exp()) / 2
        case "tanh":
            return 1 - 2 / ((2 * u).exp() + 1)
        case "asinh":
            return (abs(u) + (u * u + 1).sqrt()).ln().copy_sign(u)
        case "acosh":
            return (u + (u * u - 1).sqrt()).ln()
        case "atanh":
            return ((1 + u) / (1 - u)).ln() / 2
        case _:
            raise ValueError(f"no function {name!r}")


def _sine(u: Decimal, quarters: int = 0) -> Decimal:
    """The sine of u plus this many right angles, by its series."""
    if abs(u) > LARGEST_ANGLE:
        raise InvalidOperation("an angle of too many turns")
    with localcontext() as context:
        context.prec += _SERIES_DIGITS
        turn = 2 * _pi()
        angle = (u + quarters * turn / 4).remainder_near(turn)
        smallest = Decimal(10) ** -context.prec
        total = term = angle
        k = 1
        while abs(term) > smallest:
            term *= -angle * angle / ((k + 1) * (k + 2))
            total += term
            k += 2
    return +total


def _arctangent(u: Decimal) -> Decimal:
    """By its series, for a small part of the angle."""
    with localcontext() as context:
        context.prec += _SERIES_DIGITS
        halvings = 4
        for _ in range(halvings):
            u = u / (1 + (1 + u * u).sqrt())
        total = _arctangent_series(u) * 2**halvings
    return +total


def _arctangent_series(u: Decimal) -> Decimal:
    with localcontext() as context:
        smallest = Decimal(10) ** -context.prec
    total = power = u
    k = 1
    while abs(power) > smallest:
        power *= -u * u
        k += 2
        total += power / k
    return total


def _pi() -> Decimal:
    with localcontext() as context:
        return _pi_to(context.prec + _SERIES_DIGITS)


@cache
def _pi_to(digits: int) -> Decimal:
    """By Machin's formula."""
    with localcontext(_context(digits)):
        fifth, small = Decimal(1) / 5, Decimal(1) / 239
        return 16 * _arctangent_series(fifth) - 4 * _arctangent_series(small)
