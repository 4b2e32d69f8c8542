"""Writing expressions as SymPy writes them; `parse` reads it back."""

from rlve.algorithms.expressions.nodes import (
    Constant,
    Expression,
    Function,
    Number,
    Power,
    Sum,
    Variable,
    is_negative,
    split_fraction,
)


def text(node: Expression) -> str:
    """One line, such as x**2/3 - 2*sqrt(x) + exp(-x)."""
    if isinstance(node, Sum):
        return _sum(node)
    return "-" * is_negative(node) + _unsigned(node)


def _sum(node: Sum) -> str:
    first, *others = node.terms
    last = others[-1]
    if len(others) == 1 and is_negative(first) and isinstance(last, Number) and last.value > 0:
        first, others = last, [first]  # 1 - x reads better than -x + 1
    signed = (f" {'-' if is_negative(term) else '+'} {_unsigned(term)}" for term in others)
    return text(first) + "".join(signed)


def _unsigned(node: Expression) -> str:
    """A term without the sign in front of it."""
    above, below = split_fraction(node)
    numerator = "*".join(map(_factor, above)) or "1"
    if not below:
        return numerator
    denominator = "*".join(map(_factor, below))
    if len(below) > 1:
        denominator = f"({denominator})"
    return f"{numerator}/{denominator}"


def _factor(node: Expression) -> str:
    match node:
        case Number():
            return str(abs(node.value))
        case Variable() | Constant():
            return node.name
        case Function():
            return f"{node.name}({text(node.argument)})"
        case Power():
            return _power(node)
        case _:
            return f"({text(node)})"


def _power(node: Power) -> str:
    if isinstance(node.exponent, Number) and node.exponent.value * 2 == 1:
        return f"sqrt({text(node.base)})"
    return f"{_tight(node.base)}**{_tight(node.exponent)}"


def _tight(node: Expression) -> str:
    """In parentheses, unless nothing can split it."""
    whole = isinstance(node, Number) and node.value >= 0 and node.value.denominator == 1
    if whole or isinstance(node, (Variable, Constant, Function)):
        return text(node)
    return f"({text(node)})"
