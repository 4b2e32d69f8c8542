"""Slopes of functions as Python computes them, for brute forces of calculus."""

import math

import pytest

MATH = {name: getattr(math, name) for name in ("sin", "cos", "exp", "log", "sqrt", "pi")}


def compare(function, derivative, rng, points):
    """The derivative is the slope wherever both have settled; at how many points that was."""
    F, f = python_function(function), python_function(derivative)
    places = [rng.uniform(-2, 2) for _ in range(points)]
    pairs = [(central_difference(F, x), f(x)) for x in places]
    settled = [pair for pair in pairs if None not in pair]
    for slope, value in settled:
        assert value == pytest.approx(slope, rel=1e-3, abs=1e-3), (function, derivative)
    return len(settled)


def python_function(expression):
    """What Python makes of an expression of ours; None where it has no real value."""
    code = compile(expression, "expression", "eval")

    def function(x):
        try:
            value = eval(code, {"__builtins__": {}}, MATH | {"E": math.e, "x": x})
        except (ArithmeticError, ValueError, TypeError):
            return None
        return value if isinstance(value, (int, float)) and math.isfinite(value) else None

    return function


def central_difference(function, x):
    """The slope at x, or None where it has not settled."""
    found = []
    for h in (1e-5, 2e-5):
        before, after = function(x - h), function(x + h)
        if before is None or after is None:
            return None
        found.append((after - before) / (2 * h))
    settled = abs(found[0] - found[1]) <= 1e-4 * (1 + abs(found[0]))
    return found[0] if settled else None
