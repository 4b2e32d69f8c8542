"""Random expressions in x, for problems of calculus."""

from collections.abc import Callable
from fractions import Fraction
from random import Random

from rlve.algorithms.expressions.build import (
    X,
    add,
    apply,
    divide,
    multiply,
    number,
    power,
    subtract,
)
from rlve.algorithms.expressions.calculus import derivative
from rlve.algorithms.expressions.nodes import Expression, TooLarge, Undefined
from rlve.algorithms.expressions.numeric import evaluate
from rlve.errors import GenerationError

MAX_OPERATIONS = 1000
MAX_DEPTH = 50  # so that `parse` can read it back
MAX_VALUE = 10_000
TRIES = 1000
POINTS = 1024
ENOUGH = 512

UNARY = {
    "sin": 0.1,
    "cos": 0.1,
    "exp": 0.05,
    "log": 0.05,
    "power": 0.1,
    "add": 0.25,
    "multiply": 0.25,
    "divide": 0.1,
}
BINARY = {add: 0.2, subtract: 0.2, multiply: 0.3, divide: 0.2, power: 0.1}


def random_expression(rng: Random, nodes: int) -> Expression:
    """A tree with that many nodes whose leaves are all x, simplified while it is built.

    Undefined or TooLarge is raised if simplification meets 1/0 or a number that grows too large.
    """
    if nodes == 1:
        return X
    if nodes == 2 or rng.random() < 0.5:
        return _unary(rng, random_expression(rng, nodes - 1))
    left = rng.randint(1, nodes - 2)
    (operation,) = rng.choices(list(BINARY), list(BINARY.values()))
    return operation(random_expression(rng, left), random_expression(rng, nodes - 1 - left))


def _unary(rng: Random, u: Expression) -> Expression:
    (kind,) = rng.choices(list(UNARY), list(UNARY.values()))
    k = rng.randint(2, 4)
    match kind:
        case "power":
            return power(u, number(rng.choice([Fraction(1, k), Fraction(k)])))
        case "add":
            return add(u, number(rng.choice([-2, -1, 1, 2])))
        case "multiply":
            return multiply(number(rng.choice([-k, k])), u)
        case "divide":
            return multiply(number(Fraction(1, k)), u)
        case _:
            return apply(kind, u)


def random_function(
    rng: Random, nodes: int, suits: Callable[[Expression, Expression], bool]
) -> tuple[Expression, Expression]:
    """A random expression and its derivative, redrawn until they are suitable for a problem.

    Both must be of moderate size. Over 1024 equally spaced points from -2 to 2, the derivative must
    be real and finite at half of them or more, and nowhere beyond 10,000.
    """
    for _ in range(TRIES):
        try:
            function = random_expression(rng, nodes)
            slope = derivative(function)
        except (TooLarge, Undefined):
            continue
        if max(function.operations, slope.operations) > MAX_OPERATIONS or slope.depth > MAX_DEPTH:
            continue
        if _is_tame(slope) and suits(function, slope):
            return function, slope
    raise GenerationError(f"none of {TRIES:,} random functions with {nodes} nodes is suitable")


def _is_tame(slope: Expression) -> bool:
    import numpy as np

    value, error = evaluate(slope, np.linspace(-2, 2, POINTS))
    # A value without an error bound may be defined on one machine and not on another.
    known = value[np.isfinite(value) & np.isfinite(error)]
    return len(known) >= ENOUGH and float(np.max(np.abs(known))) <= MAX_VALUE
