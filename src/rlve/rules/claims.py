"""Reading the arithmetic in a line of prose: what it claims, and which numbers it contains.

A claim is a relation between two expressions: `5 + 8 = 13`, `3 * 7 <= 23`. The grammar:

    expression  bits of XOR, AND, OR, of + and -, of * / // mod, of ^, of signed atoms
    atom        an integer or decimal, n!, (expression), |expression|, or a function of expressions

A side that contains a name, such as `x + 2`, `A[3]` or `f(2)`, cannot be evaluated, and a relation
with such a side claims nothing. Nothing is ever passed to eval().
"""

import math
import operator
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from rlve.work.mental import Number, is_easy

MAX_BITS = 20_000  # of a number; larger ones are refused

_TOKEN = re.compile(
    r"(?P<number>[0-9]+(?:\.[0-9]+)?(?![A-Za-z0-9_]))"
    r"|(?P<name>[A-Za-z0-9_]+)"
    r"|(?P<other>->|=>|:=|\.\.+|!(?!=))"
    r"|(?P<relation><=|>=|!=|=|<|>)"
    r"|(?P<operator>//|[-+*/^])"
    r"|(?P<mark>\S)"
)

Operation: TypeAlias = Callable[[Any, Any], Any]

RELATIONS: dict[str, Operation] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "min": min,
    "max": max,
    "gcd": math.gcd,
    "lcm": math.lcm,
    "abs": abs,
    "C": math.comb,
}
BITWISE: dict[str, Operation] = {"AND": int.__and__, "OR": int.__or__, "XOR": int.__xor__}


class TooLarge(Exception):
    """A claim has a number that is too large to check."""


class Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Side:
    """One side of a relation: its value, and where it stands among the tokens of its line."""

    value: Number
    start: int
    end: int
    operations: int
    easy: bool  # whether each operation is one for the head


@dataclass(frozen=True)
class Claim:
    """A relation between two sides that can be evaluated."""

    left: Side
    relation: str
    right: Side
    asked: bool  # whether a question mark follows
    reply: str  # the word after it

    @property
    def holds(self) -> bool:
        return RELATIONS[self.relation](self.left.value, self.right.value)


def tokenize(line: str) -> list[Token]:
    """The numbers, names and signs in a line."""
    return [Token(m.lastgroup or "mark", m[0], *m.span()) for m in _TOKEN.finditer(line)]


def claims(tokens: list[Token]) -> Iterator[Claim]:
    """The relations in a line whose sides can both be evaluated."""
    for i, token in enumerate(tokens):
        if token.kind != "relation":
            continue
        left = _side_before(tokens, i)
        right = None if left is None else _side_after(tokens, i + 1)
        if left is None or right is None:
            continue
        asked = right.end < len(tokens) and tokens[right.end].text == "?"
        reply = tokens[right.end + 1].text if asked and right.end + 1 < len(tokens) else ""
        yield Claim(left, token.text, right, asked, reply.lower())


def _side_after(tokens: list[Token], start: int) -> Side | None:
    reader = _Reader(tokens, start)
    try:
        side = reader.side()
    except _NoNumber:
        return None
    return None if side.end < len(tokens) and _binds(tokens, side.end - 1) else side


def _side_before(tokens: list[Token], end: int) -> Side | None:
    """The longest expression that ends there."""
    above = tokens[:end]
    for start in range(_earliest(tokens, end), end):
        try:
            side = _Reader(above, start).side()
        except _NoNumber:
            continue
        if side.end == end:
            bound = start > 0 and (
                tokens[start - 1].kind == "operator"
                or tokens[start - 1].text in (*BITWISE, "mod")
                or _binds(tokens, start - 1)
            )
            return None if bound else side
    return None


def _earliest(tokens: list[Token], end: int) -> int:
    """Where an expression that ends there can begin: after a word, a relation or a mark."""
    depth, start = 0, end
    while start > 0:
        token = tokens[start - 1]
        depth += (token.text == ")") - (token.text == "(")
        is_word = token.kind == "name" and token.text not in (*BITWISE, *FUNCTIONS, "mod")
        is_mark = token.kind == "mark" and token.text not in "()|" and depth <= 0
        is_other = token.kind == "other" and token.text != "!"
        if is_word or is_mark or is_other or token.kind == "relation":
            break
        start -= 1
    return start


def _binds(tokens: list[Token], i: int) -> bool:
    """Whether two tokens touch, so that one cannot be read without the other: f(, 2(, 1-2, A[."""
    if i + 1 >= len(tokens):
        return False
    this, following = tokens[i], tokens[i + 1]
    touching = this.end == following.start
    opens = following.text in ("(", "[") and this.kind in ("name", "number")
    return touching and (opens or "operator" in (this.kind, following.kind))


class _NoNumber(Exception):
    """The text is not an expression of numbers."""


class _Reader:
    """A recursive descent over tokens, which evaluates as it goes."""

    def __init__(self, tokens: list[Token], start: int) -> None:
        self.tokens = tokens
        self.at = start
        self.start = start
        self.operations = 0
        self.easy = True

    def side(self) -> Side:
        value = self.bits()
        return Side(value, self.start, self.at, self.operations, self.easy)

    def text(self) -> str:
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    def binary(self) -> str:
        """The binary operator here, or nothing: a minus sign that touches its number is none."""
        text = self.text()
        if text != "-":
            return text
        token = self.tokens[self.at]
        if self.at + 1 < len(self.tokens) and token.end == self.tokens[self.at + 1].start:
            return ""
        return text

    def bits(self) -> Number:
        value = self.sum()
        while (sign := self.text()) in BITWISE:
            self.at += 1
            other = self.sum()
            value = self.apply(sign, value, other, BITWISE[sign])
        return value

    def sum(self) -> Number:
        value = self.term()
        while (sign := self.binary()) in ("+", "-"):
            self.at += 1
            other = self.term()
            value = self.apply(sign, value, other, operator.add if sign == "+" else operator.sub)
        return value

    def term(self) -> Number:
        value = self.power()
        while (sign := self.text()) in ("*", "/", "//", "mod"):
            self.at += 1
            other = self.power()
            if sign != "*" and other == 0:
                raise _NoNumber
            value = self.apply(sign, value, other, _TERMS[sign])
        return value

    def power(self) -> Number:
        base = self.atom()
        if self.text() != "^":
            return base
        self.at += 1
        exponent = self.power()
        if not isinstance(exponent, int) or exponent < 0:
            raise _NoNumber
        if self.text() == "mod" and isinstance(base, int):
            after = _Reader(self.tokens, self.at + 1)
            modulus = after.power()
            if isinstance(modulus, int) and modulus > 0:
                self.operations += 1
                self.easy &= is_easy("^", base, exponent)
                return pow(base, exponent, modulus) if exponent > 1 else base**exponent
        if isinstance(base, Fraction) or base.bit_length() * exponent > MAX_BITS:
            raise TooLarge
        return self.apply("^", base, exponent, int.__pow__)

    def atom(self) -> Number:
        if self.at >= len(self.tokens):
            raise _NoNumber
        token = self.tokens[self.at]
        self.at += 1
        if token.kind == "number":
            return self.number(token)
        if token.text == "-" and self.touches(token):
            return -self.atom()
        if token.text == "(":
            return self.closed(")")
        if token.text == "|" and self.touches(token):
            return abs(self.closed("|"))
        if token.text in FUNCTIONS and self.text() == "(" and self.touches(token):
            self.at += 1
            return self.call(token.text)
        raise _NoNumber

    def number(self, token: Token) -> Number:
        if len(token.text) * 4 > MAX_BITS:
            raise TooLarge
        value = Fraction(token.text) if "." in token.text else int(token.text)
        if self.text() == "!" and token.end == self.tokens[self.at].start:
            self.at += 1
            if not isinstance(value, int) or value > 1_000:
                raise TooLarge
            return self.apply("!", value, value, _factorial)
        return value

    def touches(self, token: Token) -> bool:
        return self.at < len(self.tokens) and token.end == self.tokens[self.at].start

    def closed(self, bracket: str) -> Number:
        value = self.bits()
        if self.text() != bracket:
            raise _NoNumber
        self.at += 1
        return value

    def call(self, name: str) -> Number:
        values = [self.bits()]
        while self.text() == ",":
            self.at += 1
            values.append(self.bits())
        if self.text() != ")":
            raise _NoNumber
        self.at += 1
        if name in ("gcd", "lcm", "C") and not all(isinstance(v, int) and v >= 0 for v in values):
            raise _NoNumber
        if len(values) != {"abs": 1, "C": 2}.get(name, len(values)):
            raise _NoNumber
        self.operations += 1
        self.easy &= is_easy(name, values[0], values[-1])
        return FUNCTIONS[name](*values) if len(values) > 1 else abs(values[0])

    def apply(self, sign: str, a: Number, b: Number, function: Operation) -> Number:
        if sign in BITWISE and not (isinstance(a, int) and isinstance(b, int)):
            raise _NoNumber
        self.operations += 1
        self.easy &= is_easy(sign, a, b)
        value: Number = function(a, b)
        if value.numerator.bit_length() > MAX_BITS:
            raise TooLarge
        return value.numerator if value.denominator == 1 else value


def _factorial(n: int, _: int) -> int:
    return math.factorial(n)


_TERMS: dict[str, Operation] = {
    "*": operator.mul,
    "/": lambda a, b: Fraction(a) / Fraction(b),
    "//": lambda a, b: a // b,
    "mod": operator.mod,
}
