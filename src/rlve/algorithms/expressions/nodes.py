"""What an expression is made of: seven kinds of frozen nodes.

There is no node for a difference, a quotient, a square root or a sign: a - b is a + (-1)*b, and
a/b is a*b**(-1). Nodes are made by the functions of `build`, which keep them in canonical form.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

Order: TypeAlias = tuple[Any, ...]


class Undefined(ArithmeticError):
    """The expression has no value anywhere, such as 1/0 or log(0)."""


class TooLarge(ArithmeticError):
    """The expression exceeds a limit on its size."""


@dataclass(frozen=True, eq=False)
class Expression:
    """A node. Properties that are often needed are computed once, from its children."""

    @property
    def children(self) -> tuple["Expression", ...]:
        return ()

    @cached_property
    def order(self) -> Order:
        """Sorts expressions, the same way in every process; equal for equal expressions only."""
        raise NotImplementedError(f"{type(self).__name__} does not define order")

    @cached_property
    def operations(self) -> int:
        """How many operations it is written with: + - * / **, signs and functions."""
        raise NotImplementedError(f"{type(self).__name__} does not define operations")

    @cached_property
    def depth(self) -> int:
        return 1 + max((child.depth for child in self.children), default=0)

    @cached_property
    def has_variable(self) -> bool:
        return any(child.has_variable for child in self.children)

    @cached_property
    def _hash(self) -> int:
        return hash((type(self), self.children) if self.children else self.order)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Expression) or self._hash != other._hash:
            return False
        return self.order == other.order


@dataclass(frozen=True, eq=False)
class Number(Expression):
    value: Fraction

    @cached_property
    def order(self) -> Order:
        return (0, self.value.denominator, self.value.numerator)

    @cached_property
    def operations(self) -> int:
        return (self.value < 0) + (self.value.denominator != 1)


@dataclass(frozen=True, eq=False)
class Constant(Expression):
    """pi, E, or I, the imaginary unit, which has no real value."""

    name: str

    @cached_property
    def order(self) -> Order:
        return (1, self.name)

    @cached_property
    def operations(self) -> int:
        return 0


@dataclass(frozen=True, eq=False)
class Variable(Expression):
    name: str

    @cached_property
    def order(self) -> Order:
        return (2, self.name)

    @cached_property
    def operations(self) -> int:
        return 0

    @cached_property
    def has_variable(self) -> bool:
        return True


@dataclass(frozen=True, eq=False)
class Sum(Expression):
    """At least two terms."""

    terms: tuple[Expression, ...]

    @property
    def children(self) -> tuple[Expression, ...]:
        return self.terms

    @cached_property
    def order(self) -> Order:
        return (3, len(self.terms), *(term.order for term in self.terms))

    @cached_property
    def operations(self) -> int:
        signs = sum(is_negative(term) for term in self.terms)
        written = signs == len(self.terms)  # else each sign is written as a subtraction
        inside = sum(term.operations for term in self.terms) - signs
        return inside + len(self.terms) - 1 + written


@dataclass(frozen=True, eq=False)
class Product(Expression):
    """At least two factors; only the first can be a number."""

    factors: tuple[Expression, ...]

    @property
    def children(self) -> tuple[Expression, ...]:
        return self.factors

    @cached_property
    def order(self) -> Order:
        return (4, len(self.factors), *(factor.order for factor in self.factors))

    @cached_property
    def operations(self) -> int:
        above, below = split_fraction(self)
        inside = sum(part.operations for part in (*above, *below))
        return inside + max(len(above), 1) + len(below) - 1 + is_negative(self)


@dataclass(frozen=True, eq=False)
class Power(Expression):
    base: Expression
    exponent: Expression

    @property
    def children(self) -> tuple[Expression, ...]:
        return (self.base, self.exponent)

    @cached_property
    def order(self) -> Order:
        return (5, self.base.order, self.exponent.order)

    @cached_property
    def operations(self) -> int:
        divisor = reciprocal(self)
        if divisor is not None:
            return 1 + divisor.operations
        return 1 + self.base.operations + self.exponent.operations


@dataclass(frozen=True, eq=False)
class Function(Expression):
    """exp, log, sin, cos, tan and their inverses, the hyperbolic functions, or Abs."""

    name: str
    argument: Expression

    @property
    def children(self) -> tuple[Expression, ...]:
        return (self.argument,)

    @cached_property
    def order(self) -> Order:
        return (6, self.name, self.argument.order)

    @cached_property
    def operations(self) -> int:
        return 1 + self.argument.operations

    @cached_property
    def _hash(self) -> int:
        return hash((self.name, self.argument))


def coefficient(node: Expression) -> Fraction:
    """The number that the rest of a term is multiplied by."""
    if isinstance(node, Product):
        node = node.factors[0]
        return node.value if isinstance(node, Number) else Fraction(1)
    return node.value if isinstance(node, Number) else Fraction(1)


def is_negative(node: Expression) -> bool:
    """Whether the expression is written with a sign in front."""
    return coefficient(node) < 0


def reciprocal(node: Expression) -> Expression | None:
    """What the node is the reciprocal of, if it is a power with a negative exponent."""
    if not isinstance(node, Power) or not isinstance(node.exponent, Number):
        return None
    exponent = node.exponent.value
    if exponent >= 0:
        return None
    return node.base if exponent == -1 else Power(node.base, Number(-exponent))


def split_fraction(node: Expression) -> tuple[list[Expression], list[Expression]]:
    """The numerator and denominator of a term as written, without its sign."""
    above: list[Expression] = []
    below: list[Expression] = []
    for factor in node.factors if isinstance(node, Product) else (node,):
        divisor = reciprocal(factor)
        if isinstance(factor, Number):
            value = abs(factor.value)
            above += [Number(Fraction(value.numerator))] * (value.numerator != 1)
            below += [Number(Fraction(value.denominator))] * (value.denominator != 1)
        elif divisor is not None:
            below.append(divisor)
        else:
            above.append(factor)
    return above, below
