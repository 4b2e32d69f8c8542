"""Differentiating expressions."""

from collections.abc import Callable
from fractions import Fraction

from rlve.algorithms.expressions.build import (
    MINUS_ONE,
    ONE,
    ZERO,
    add,
    apply,
    divide,
    multiply,
    negative,
    number,
    power,
    subtract,
)
from rlve.algorithms.expressions.nodes import (
    Expression,
    Function,
    Power,
    Product,
    Sum,
    TooLarge,
)

MAX_OPERATIONS = 20_000


def derivative(expression: Expression) -> Expression:
    """The derivative by the usual rules, in canonical form; TooLarge if it explodes."""
    known: dict[Expression, Expression] = {}

    def differentiate(node: Expression) -> Expression:
        if node not in known:
            known[node] = _limited(_derivative(node, differentiate))
        return known[node]

    return differentiate(expression)


def _derivative(node: Expression, differentiate: Callable[[Expression], Expression]) -> Expression:
    match node:
        case _ if not node.has_variable:
            return ZERO
        case Sum(terms):
            return add(*map(differentiate, terms))
        case Product(factors):
            moving = [i for i, factor in enumerate(factors) if factor.has_variable]
            _limit(len(moving) * len(factors))
            return add(
                *(
                    multiply(differentiate(factors[i]), *factors[:i], *factors[i + 1 :])
                    for i in moving
                )
            )
        case Power(base, exponent) if not exponent.has_variable:
            inner = power(base, subtract(exponent, ONE))
            return multiply(exponent, inner, differentiate(base))
        case Power(base, exponent):
            rate = multiply(differentiate(exponent), apply("log", base))
            if base.has_variable:
                rate = add(rate, multiply(exponent, divide(differentiate(base), base)))
            return multiply(node, rate)
        case Function(name, argument):
            return multiply(_OUTER[name](argument), differentiate(argument))
        case _:
            return ONE


def _limited(node: Expression) -> Expression:
    _limit(node.operations)
    return node


def _limit(operations: int) -> None:
    if operations > MAX_OPERATIONS:
        raise TooLarge(f"a derivative of more than {MAX_OPERATIONS:,} operations")


def _square(u: Expression) -> Expression:
    return power(u, number(2))


def _over_root(u: Expression) -> Expression:
    return power(u, number(Fraction(-1, 2)))


_OUTER: dict[str, Callable[[Expression], Expression]] = {
    "exp": lambda u: apply("exp", u),
    "log": lambda u: power(u, MINUS_ONE),
    "sin": lambda u: apply("cos", u),
    "cos": lambda u: negative(apply("sin", u)),
    "tan": lambda u: add(_square(apply("tan", u)), ONE),
    "asin": lambda u: _over_root(subtract(ONE, _square(u))),
    "acos": lambda u: negative(_over_root(subtract(ONE, _square(u)))),
    "atan": lambda u: power(add(_square(u), ONE), MINUS_ONE),
    "sinh": lambda u: apply("cosh", u),
    "cosh": lambda u: apply("sinh", u),
    "tanh": lambda u: subtract(ONE, _square(apply("tanh", u))),
    "asinh": lambda u: _over_root(add(_square(u), ONE)),
    "acosh": lambda u: multiply(_over_root(subtract(u, ONE)), _over_root(add(u, ONE))),
    "atanh": lambda u: power(subtract(ONE, _square(u)), MINUS_ONE),
    "Abs": lambda u: divide(u, apply("Abs", u)),
}
"""The derivative of each function, at u."""
