"""Where expressions are compared by their values.

As published, 1024 points of [-2, 2] decide first: one drawn at random from each of as many equal
parts, because on an evenly spaced grid f*sin(k*x)/k passes for an antiderivative of any f if k is
chosen to suit. A function can be right there and wrong elsewhere, as f + exp(-10*(x - 50)**2) is.
So there are also intervals far away, and the neighbourhoods of the numbers in the answer itself.
"""

from collections.abc import Iterator
from functools import cache
from random import Random
from typing import TYPE_CHECKING

from rlve.algorithms.expressions.nodes import Expression, Number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LOW, HIGH = -2.0, 2.0
NEAR = 1024
FAR = ((-1100, -900), (-60, -40), (-9, -3), (3, 9), (40, 60), (900, 1100))
FAR_EACH = 64
AROUND_EACH = 8
MOST_NUMBERS = 40  # whose neighbourhoods are checked
LARGEST = 10**6


@cache
def near_points() -> "NDArray[np.float64]":
    """The points of [-2, 2]."""
    import numpy as np

    return np.array([*_spread(Random("rlve.algorithms.expressions"), LOW, HIGH, NEAR)])


def far_points(*expressions: Expression) -> "NDArray[np.float64]":
    """Points far away, and around the numbers of the expressions and their opposites."""
    import numpy as np

    numbers = {
        float(abs(number.value))
        for expression in expressions
        for number in _numbers(expression)
        if abs(number.value) < LARGEST
    }
    rng = Random("rlve.algorithms.expressions/around")
    around = [
        point
        for number in sorted(numbers)[:MOST_NUMBERS]
        for centre in (number, -number)
        for point in _spread(rng, centre - 1, centre + 1, AROUND_EACH)
    ]
    return np.concatenate([_far(), np.array(around)])


@cache
def _far() -> "NDArray[np.float64]":
    import numpy as np

    rng = Random("rlve.algorithms.expressions/far")
    return np.array([point for low, high in FAR for point in _spread(rng, low, high, FAR_EACH)])


def _spread(rng: Random, low: float, high: float, count: int) -> Iterator[float]:
    """A random point from each of this many equal parts."""
    part = (high - low) / count
    return (low + part * (i + rng.random()) for i in range(count))


def _numbers(expression: Expression) -> set[Number]:
    """All numbers that the expression is written with."""
    seen: set[Expression] = set()
    waiting = [expression]
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting += node.children
    return {node for node in seen if isinstance(node, Number)}
