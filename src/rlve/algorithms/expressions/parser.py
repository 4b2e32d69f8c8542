"""Reading expressions from untrusted text.

    sum      = product (("+" | "-") product)*
    product  = signed (("*" | "/") signed)*
    signed   = ("+" | "-") signed | power
    power    = atom (("**" | "^") signed)?        so -x**2 is -(x**2), and 2**3**2 is 2**(3**2)
    atom     = number | name | function "(" sum ("," sum)* ")" | "(" sum ")"

Every multiplication needs its sign, and only the given names are known. The text is read once, from
left to right, with an explicit stack; what is read is handed to an algebra, which turns it into an
expression or an exact number. Sizes are checked before anything is computed.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Generic, Protocol, TypeVar

from rlve.algorithms.expressions import build
from rlve.algorithms.expressions.nodes import Constant, Expression, TooLarge, Undefined
from rlve.errors import Unparseable

MAX_CHARS = 10_000
MAX_DEPTH = 100  # of parentheses, and of the resulting expression
MAX_DIGITS = 300  # of a number as it is written

CONSTANTS = frozenset({"pi", "E"})
OPERATORS = frozenset({"+", "-", "*", "/", "**", "^"})

_TOKEN = re.compile(
    r"""\s*+ (?:
        (?P<number> (?: [0-9]++ (?: \.[0-9]*+ )?+ | \.[0-9]++ ) (?: [eE][+-]?[0-9]++ )?+ )
      | (?P<function> [A-Za-z_][A-Za-z0-9_]*+ ) \s*+ \(
      | (?P<name> [A-Za-z_][A-Za-z0-9_]*+ )
      | (?P<operator> \*\* | [-+*/^(),] )
      | (?P<end> \Z )
    )""",
    re.VERBOSE,
)
_DIGITS = re.compile(r"[0-9]+")

T = TypeVar("T")


def parse(
    text: str, *, constants: Collection[str] = CONSTANTS, max_chars: int = MAX_CHARS
) -> Expression:
    """The expression in the text, in canonical form; Unparseable if it is not one."""
    return _Reader(_Symbols(constants), OPERATORS).read(text, max_chars)


def rational(text: str) -> Fraction:
    """The exact value of integer arithmetic; Unparseable also if it divides by zero.

    Signs in front of a number or a parenthesis are always allowed.
    """
    return _Reader(_Rationals(), frozenset("+-*/")).read(text, MAX_CHARS)


def integers_written(text: str) -> list[int]:
    """All maximal runs of digits, whatever is between them; one too long counts as 10**300."""
    runs = (run.lstrip("0") or "0" for run in _DIGITS.findall(text))
    return [int(run) if len(run) <= MAX_DIGITS else 10**MAX_DIGITS for run in runs]


@dataclass(frozen=True)
class Written:
    """An expression and how many signs, operators and functions it was written with."""

    expression: Expression | None  # None if there are too many of these
    operations: int = field(compare=False)


def parse_written(text: str, *, most: int) -> Written:
    """Like `parse`, with the operations of the text itself, some of which simplifying removes.

    A text with more than `most` operations is only checked against the grammar; nothing is built.
    """
    if len(text) > MAX_CHARS:
        raise Unparseable(f"the expression is longer than {MAX_CHARS:,} characters")
    operations = sum(
        kind == "function" or (kind == "operator" and word in OPERATORS)
        for kind, word in _tokens(text)
    )
    if operations <= most:
        return Written(parse(text), operations)
    _Reader(_Grammar(CONSTANTS), OPERATORS).read(text, MAX_CHARS)
    return Written(None, operations)


class _Algebra(Protocol[T]):
    """What the reader builds with."""

    def number(self, text: str) -> T: ...
    def name(self, name: str) -> T: ...
    def call(self, function: str, arguments: list[T]) -> T: ...
    def add(self, terms: list[T]) -> T: ...
    def multiply(self, factors: list[T]) -> T: ...
    def power(self, base: T, exponent: T) -> T: ...
    def negative(self, value: T) -> T: ...
    def reciprocal(self, value: T) -> T: ...


@dataclass
class _Level(Generic[T]):
    """A sum being read: the whole text, or what is between parentheses."""

    function: str | None = None  # whose argument it is
    arguments: list[T] = field(default_factory=list[T])  # that are finished, and so on:
    terms: list[T] = field(default_factory=list[T])
    factors: list[T] = field(default_factory=list[T])
    divides: bool = False  # what comes next is a divisor
    waiting: list[T | None] = field(default_factory=list["T | None"])
    """Minus signs (None) and bases of powers that wait for what comes next, outermost first."""


class _Reader(Generic[T]):
    def __init__(self, algebra: _Algebra[T], operators: Collection[str]) -> None:
        self.algebra = algebra
        self.operators = operators
        self.levels: list[_Level[T]] = [_Level()]

    def read(self, text: str, max_chars: int) -> T:
        if len(text) > max_chars:
            raise Unparseable(f"the expression is longer than {max_chars:,} characters")
        try:
            return self._read(text)
        except (TooLarge, Undefined, ZeroDivisionError) as error:
            raise Unparseable(f"the expression has no usable value: {error}") from None

    def _read(self, text: str) -> T:
        value: T | None = None  # the operand just read; None if one has to come next
        for kind, word in _tokens(text):
            if value is None:
                value = self._operand(kind, word)
            elif kind == "end" and len(self.levels) == 1:
                return self._finish_sum(value)
            else:
                value = self._operator(kind, word, value)
        raise Unparseable("the expression ends too early")

    def _operand(self, kind: str, word: str) -> T | None:
        if kind == "number":
            return self.algebra.number(word)
        if kind == "name":
            return self.algebra.name(word)
        if kind == "function" or word == "(":
            self.levels.append(_Level(word if kind == "function" else None))
            if len(self.levels) > MAX_DEPTH:
                raise TooLarge(f"parentheses nested more than {MAX_DEPTH} deep")
        elif word == "-":
            waiting = self.levels[-1].waiting
            if waiting and waiting[-1] is None:
                waiting.pop()
            else:
                waiting.append(None)
        elif word != "+":
            raise Unparseable(f"expected a number or a name, not {word[:40]!r}")
        return None

    def _operator(self, kind: str, word: str, value: T) -> T | None:
        level = self.levels[-1]
        if kind == "operator" and word in self.operators:
            if word in ("**", "^"):
                level.waiting.append(value)
                return None
            self._finish_factor(value)
            level.divides = word == "/"
            if word in ("+", "-"):
                self._finish_term()
            if word == "-":
                level.waiting.append(None)
            return None
        if word == "," and level.function is not None:
            level.arguments.append(self._finish_sum(value))
            return None
        if word == ")" and len(self.levels) > 1:
            value = self._finish_sum(value)
            self.levels.pop()
            if level.function is None:
                return value
            return self.algebra.call(level.function, [*level.arguments, value])
        raise Unparseable(f"expected an operator, not {word[:40]!r}")

    def _finish_factor(self, value: T) -> None:
        level = self.levels[-1]
        while level.waiting:
            base = level.waiting.pop()
            if base is None:
                value = self.algebra.negative(value)
            else:
                value = self.algebra.power(base, value)
        level.factors.append(self.algebra.reciprocal(value) if level.divides else value)

    def _finish_term(self) -> None:
        level = self.levels[-1]
        factors, level.factors = level.factors, []
        level.terms.append(self.algebra.multiply(factors) if len(factors) > 1 else factors[0])

    def _finish_sum(self, value: T) -> T:
        self._finish_factor(value)
        self._finish_term()
        level = self.levels[-1]
        terms, level.terms, level.divides = level.terms, [], False
        return self.algebra.add(terms) if len(terms) > 1 else terms[0]


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    position = 0
    kind = ""
    while kind != "end":
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            raise Unparseable(f"not part of an expression: {text[position : position + 40]!r}")
        kind, position = match.lastgroup, match.end()
        yield kind, match[kind]


class _Symbols:
    """Makes canonical expressions."""

    def __init__(self, constants: Collection[str]) -> None:
        self.constants = constants

    def number(self, text: str) -> Expression:
        return build.number(_exact(text))

    def name(self, name: str) -> Expression:
        if name == build.X.name:
            return build.X
        if name in self.constants:
            return Constant(name)
        raise Unparseable(f"an unknown name: {name[:40]!r}")

    def call(self, function: str, arguments: list[Expression]) -> Expression:
        self.check_call(function, arguments)
        if len(arguments) == 1:
            return _limited(build.apply(function, arguments[0]))
        above, below = (build.apply("log", argument) for argument in arguments)
        return _limited(build.divide(above, below))

    def check_call(self, function: str, arguments: list[Expression]) -> None:
        if function not in build.FUNCTIONS:
            raise Unparseable(f"an unknown function: {function[:40]!r}")
        if len(arguments) > (2 if function == "log" else 1):  # log(u, b): the base b
            raise Unparseable(f"{function} does not take {len(arguments)} arguments")

    def add(self, terms: list[Expression]) -> Expression:
        return _limited(build.add(*terms))

    def multiply(self, factors: list[Expression]) -> Expression:
        return _limited(build.multiply(*factors))

    def power(self, base: Expression, exponent: Expression) -> Expression:
        return _limited(build.power(base, exponent))

    def negative(self, value: Expression) -> Expression:
        return build.negative(value)

    def reciprocal(self, value: Expression) -> Expression:
        return build.power(value, build.MINUS_ONE)


class _Grammar(_Symbols):
    """Checks names and numbers, and builds nothing."""

    def call(self, function: str, arguments: list[Expression]) -> Expression:
        self.check_call(function, arguments)
        return arguments[0]

    def add(self, terms: list[Expression]) -> Expression:
        return terms[0]

    def multiply(self, factors: list[Expression]) -> Expression:
        return factors[0]

    def power(self, base: Expression, exponent: Expression) -> Expression:
        return base

    def negative(self, value: Expression) -> Expression:
        return value

    def reciprocal(self, value: Expression) -> Expression:
        return value


class _Rationals:
    """Computes with exact numbers of limited size."""

    def number(self, text: str) -> Fraction:
        if not text.isdigit():
            raise Unparseable(f"not an integer: {text[:40]!r}")
        return _exact(text)

    def name(self, name: str) -> Fraction:
        raise Unparseable(f"expected a number, not {name[:40]!r}")

    def call(self, function: str, arguments: list[Fraction]) -> Fraction:
        raise Unparseable(f"expected a number, not {function[:40]!r}")

    def add(self, terms: list[Fraction]) -> Fraction:
        total = Fraction(0)
        for term in terms:
            total = build.number(total + term).value
        return total

    def multiply(self, factors: list[Fraction]) -> Fraction:
        product = Fraction(1)
        for factor in factors:
            product = build.number(product * factor).value
        return product

    def power(self, base: Fraction, exponent: Fraction) -> Fraction:
        raise Unparseable("a power is no integer arithmetic")

    def negative(self, value: Fraction) -> Fraction:
        return -value

    def reciprocal(self, value: Fraction) -> Fraction:
        return 1 / value


def _exact(text: str) -> Fraction:
    mantissa, _, tens = text.lower().partition("e")
    if len(mantissa) > MAX_DIGITS or len(tens) > 5 or abs(int(tens or 0)) > MAX_DIGITS:
        raise TooLarge(f"a number of more than {MAX_DIGITS} digits")
    return Fraction(text)


def _limited(node: Expression) -> Expression:
    if node.depth > MAX_DEPTH:
        raise TooLarge(f"an expression nested more than {MAX_DEPTH} deep")
    return node
