"""The values of expressions, and when two expressions have the same value.

A value is an exact fraction as long as it can be, and otherwise a number of many digits. Two values
are the same if they are equal fractions, or if their difference vanishes however many digits are
computed. Operations are counted, and end at a limit that no answer of people reaches.
"""

import math
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache, reduce
from random import Random
from typing import Any, NamedTuple, TypeAlias

from rlve.errors import Unparseable
from rlve.judges.math.latex import Tree, parse

MAX_OPERATIONS = 60_000  # units of a few microseconds, for one comparison of two answers
MAX_BITS = 66_000  # in a number, about 20,000 digits
MAX_TERMS = 10_000  # of a sum
MAX_TERMS_AT_A_POINT = 40
BITS = 170  # of the numbers that are computed first, about 50 digits
NOISE = 40  # of the last bits may be wrong
MAX_SPREAD = 3_000  # bits between 1 and the largest or smallest number that is not exact
ENOUGH_POINTS = 5  # at which two expressions must be defined and agree
MAX_LANDMARKS = 8  # numbers in two expressions around which they are compared
LARGEST_LANDMARK = 10**12
NEAR_ZERO = [Fraction(n, 97) for n in (5, 23, 41, 59, 77, 92, -7, -37, -61, -90)]
WHOLE_LETTERS = set("jklmnJKLMN")  # that usually stand for whole numbers

Point: TypeAlias = dict[str, Fraction]
Number: TypeAlias = Any  # a Fraction, or a real or complex number of mpmath

_RATIONAL = re.compile(
    r"([+-]?)\s*(?:(\d+(?:\.\d*)?|\.\d+)(?:\s*[eE]\s*([+-]?\d{1,3}))?"
    r"|(\d+)\s*/\s*(\d+)|\\frac\{\s*([+-]?\d+)\s*\}\{\s*(\d+)\s*\})"
)
_RECURRING = re.compile(r"([+-]?)(\d+)\.(\d*)\\overline\{(\d+)\}")


class Undefined(ArithmeticError):
    """An expression has no value, or none that can be computed."""


class Expression(NamedTuple):
    """An expression, and what decides where it is compared with others."""

    tree: Tree
    letters: frozenset[str]
    whole: frozenset[str]  # letters that must be whole numbers
    heads: frozenset[str]  # the operations in it
    numbers: frozenset[int]


# Counting operations. Precision and count belong to one comparison at a time; see equality.equal.

_left = 0.0


def start_counting() -> None:
    """Begin a comparison."""
    global _left
    _left = MAX_OPERATIONS


def spend(units: float) -> None:
    """Count operations; Unparseable if there have been too many."""
    global _left
    _left -= units
    if _left < 0:
        raise Unparseable("it takes too many operations")


@lru_cache(maxsize=1)
def libraries() -> Any:
    """mpmath, with a precision of its own."""
    import mpmath

    return mpmath.MPContext()


@lru_cache(maxsize=4_000)
def expression(latex: str) -> Expression:
    """The expression in a text; Unparseable if it is doubtful."""
    known = rational(latex)
    tree = parse(latex) if known is None else Tree("number", (), known)
    letters: set[str] = set()
    whole: set[str] = set()
    heads: set[str] = set()
    numbers: set[int] = set()

    def look(tree: Tree, bound: frozenset[str], counts: bool) -> None:
        heads.add(tree.head)
        if isinstance(tree.content, Fraction):
            numbers.update((abs(tree.content.numerator), tree.content.denominator))
        elif tree.head == "letter" and tree.content not in bound | {"\\pi", "e", "i"}:
            letters.add(tree.content)
            if counts:
                whole.add(tree.content)
        elif tree.head == "letter" and tree.content == "i" and "i" not in bound:
            heads.add("i")
        series = tree.head in ("sum", "prod")
        for index, part in enumerate(tree.parts):
            inner = bound | {str(tree.content)} if series and index == 2 else bound
            look(part, inner, counts or tree.head in _COUNTING or (series and index < 2))

    look(tree, frozenset(), counts=False)
    if not heads.isdisjoint(("floor", "ceil")):
        whole |= letters & WHOLE_LETTERS
    return Expression(
        tree, frozenset(letters), frozenset(whole), frozenset(heads), frozenset(numbers)
    )


_COUNTING = {"!", "binom", "gcd"}


def rational(text: str) -> Fraction | None:
    """The exact value of an integer, a decimal or a fraction."""
    match = _RATIONAL.fullmatch(text)
    if match:
        sign, decimal, power, over, under, upper, lower = match.groups()
        if decimal is not None:
            size = Fraction(decimal) * Fraction(10) ** int(power or 0)
        else:
            below = int(under or lower)
            if below == 0:
                return None
            size = Fraction(int(over or upper), below)
        return -size if sign == "-" else size
    match = _RECURRING.fullmatch(text)
    if match:
        sign, whole, fixed, period = match.groups()
        nines = 10 ** len(period) - 1
        size = Fraction(int(whole + fixed) * nines + int(period), 10 ** len(fixed) * nines)
        return -size if sign == "-" else size
    return None


class Evaluation:
    """The value of expressions at a point, to a number of bits."""

    def __init__(self, point: Point, bits: int) -> None:
        self._mp = libraries()
        self._mp.prec = bits
        self._point: dict[str, Fraction] = point
        self._cost = 1 + (bits / 500) ** 1.5
        self._terms = MAX_TERMS_AT_A_POINT if point else MAX_TERMS
        self.spread = 0  # bits between 1 and the largest or smallest number on the way
        self.largest = 0  # bits of the largest

    def value(self, tree: Tree) -> Number:
        """The value; Undefined if there is none."""
        spend(1)
        content = tree.content
        if isinstance(content, Fraction):
            found: Number = content
        elif tree.head == "letter":
            found = self._letter(content)
        elif tree.head in ("sum", "prod"):
            found = self._series(tree)
        else:
            try:
                found = self._apply(tree, [self.value(part) for part in tree.parts])
            except (ValueError, ZeroDivisionError, OverflowError, TypeError):
                raise Undefined from None
        return self._checked(found)

    def _checked(self, value: Number) -> Number:
        if isinstance(value, Fraction):
            above, below = value.numerator.bit_length(), value.denominator.bit_length()
            size = above - below
            if above + below > 2_000:
                spend(((above + below) / 2_000) ** 2)
                if above + below > MAX_BITS:
                    value = inexact(value)
        elif self._mp.isfinite(value):
            size = int(self._mp.mag(value)) if value else 0
            if abs(size) > MAX_SPREAD:  # it cannot be compared, and functions of it are slow
                raise Undefined
        else:
            raise Undefined
        if value:
            self.spread = max(self.spread, abs(size))
            self.largest = max(self.largest, size)
            if abs(size) > MAX_BITS:
                raise Undefined
        return value

    def _letter(self, name: str) -> Number:
        if name in self._point:
            return self._point[name]
        if name == "\\pi":
            return +self._mp.pi
        if name == "e":
            return +self._mp.e
        return self._mp.mpc(0, 1)  # i

    def _series(self, tree: Tree) -> Number:
        low, high = (_integer(self.value(part)) for part in tree.parts[:2])
        if high - low >= self._terms:
            raise Undefined
        letter, outer = str(tree.content), self._point
        total: Number = Fraction(tree.head == "prod")
        join = self._product if tree.head == "prod" else self._sum
        try:
            for index in range(low, high + 1):
                self._point = outer | {letter: Fraction(index)}
                term = self.value(tree.parts[2])
                total = self._checked(join(total, term))
        finally:
            self._point = outer
        return total

    def _apply(self, tree: Tree, values: list[Number]) -> Number:
        head = tree.head
        if head in ("+", "*"):
            return reduce(self._sum if head == "+" else self._product, values)
        if head == "^":
            euler = tree.parts[0] == Tree("letter", (), "e")
            return self._exp(values[1]) if euler else self._power(values[0], values[1])
        if head in _EXACT:
            return _EXACT[head](*values)
        if head == "abs" and isinstance(values[0], Fraction):
            return abs(values[0])
        spend(8 * self._cost)
        if head == "root":
            return self._root(values[0], _integer(values[1]))
        if head == "exp":
            return self._exp(values[0])
        if head in ("floor", "ceil"):
            return self._rounded(head, values[0])
        if head in ("max", "min"):
            return self._extreme(head, values)
        if head == "apply":
            return self._unknown(str(tree.content), values)
        numbers = [self._checked(inexact(value)) for value in values]
        if head == "log":
            return self._mp.log(numbers[0]) / self._mp.log(numbers[1])
        return getattr(self._mp, _NAMES.get(head, head))(*numbers)

    def _sum(self, a: Number, b: Number) -> Number:
        if isinstance(a, Fraction) and isinstance(b, Fraction):
            return a + b
        spend(self._cost)
        return inexact(a) + inexact(b)

    def _product(self, a: Number, b: Number) -> Number:
        if isinstance(a, Fraction) and isinstance(b, Fraction):
            return a * b
        spend(self._cost)
        return inexact(a) * inexact(b)

    def _power(self, base: Number, exponent: Number) -> Number:
        exact = isinstance(base, Fraction) and isinstance(exponent, Fraction)
        if exact and exponent == -1:
            return 1 / base
        if exact and exponent.denominator == 1:
            bits = max(base.numerator.bit_length(), base.denominator.bit_length())
            if bits * abs(exponent.numerator) <= MAX_BITS:
                return base**exponent.numerator
        if exponent == 0:
            return Fraction(1)
        if base == 0:
            if not _real(exponent) or exponent < 0:
                raise Undefined
            return Fraction(0)
        if exponent == Fraction(1, 2):
            return self._root(base, 2)
        spend(20 * self._cost)
        if abs(self._mp.log(inexact(base))) * abs(inexact(exponent)) > MAX_BITS:
            raise Undefined
        return inexact(base) ** inexact(exponent)

    def _exp(self, exponent: Number) -> Number:
        if abs(exponent) > MAX_BITS:
            raise Undefined
        spend(8 * self._cost)
        return self._mp.exp(inexact(exponent))

    def _root(self, value: Number, index: int) -> Number:
        if index < 1:
            raise Undefined
        if isinstance(value, Fraction) and index == 2 and value >= 0:
            above, below = math.isqrt(value.numerator), math.isqrt(value.denominator)
            if above**2 == value.numerator and below**2 == value.denominator:
                return Fraction(above, below)
        value = inexact(value)
        if index == 2:
            return self._mp.sqrt(value)
        if index % 2 and _real(value) and value < 0:  # the real root
            return -self._mp.root(-value, index)
        return self._mp.root(value, index)

    def _rounded(self, head: str, value: Number) -> Number:
        if isinstance(value, Fraction):
            return Fraction(math.floor(value) if head == "floor" else math.ceil(value))
        if not _real(value):
            raise Undefined
        nearest = self._mp.nint(value)
        if self._mp.mag(value - nearest) < self.largest - self._mp.prec + NOISE:
            raise Undefined  # too close to a whole number to tell on which side it is
        return Fraction(int(getattr(self._mp, head)(value)))

    def _extreme(self, head: str, values: list[Number]) -> Number:
        if not all(map(_real, values)):
            raise Undefined
        if not all(isinstance(value, Fraction) for value in values):
            values = [inexact(value) for value in values]
        return max(values) if head == "max" else min(values)

    def _unknown(self, name: str, values: list[Number]) -> Number:
        """The value of a function of which nothing is known: always the same wild function."""
        rng = Random(name)
        phase = self._mp.mpf(rng.randint(100, 200)) / 97
        for value in values:
            phase = phase * rng.randint(2, 9) + inexact(value) * rng.randint(101, 199) / 89
        return self._mp.cos(phase)


def inexact(value: Number) -> Number:
    """The value to the bits that are computed at the moment."""
    if isinstance(value, Fraction):
        return libraries().mpf(value.numerator) / value.denominator
    return value


def _real(value: Number) -> bool:
    return isinstance(value, Fraction) or not value.imag


def _integer(value: Number) -> int:
    if not isinstance(value, Fraction) or value.denominator != 1:
        raise Undefined
    return value.numerator


def _factorial(value: Number) -> Fraction:
    n = _integer(value)
    if n < 0 or n > 5_000:
        raise Undefined
    return Fraction(math.factorial(n))


def _binomial(upper: Number, lower: Number) -> Fraction:
    n, k = _integer(upper), _integer(lower)
    if n < 0:
        raise Undefined
    if not 0 <= k <= n:
        return Fraction(0)
    bits = min(k, n - k) * n.bit_length()
    if bits > MAX_BITS:
        raise Undefined
    spend(bits / 100)
    return Fraction(math.comb(n, k))


_EXACT: dict[str, Callable[..., Fraction]] = {
    "!": _factorial,
    "binom": _binomial,
    "gcd": lambda *values: Fraction(math.gcd(*map(_integer, values))),
}
_NAMES = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "abs": "fabs"}


# Comparing values.


def same_value(one: Expression, other: Expression) -> bool:
    """Whether two expressions have the same value, wherever both have one."""
    if one.letters != other.letters:
        return False
    if not one.letters:
        return _close(one, other, {}) is True  # 1/0 is not 1/0.0
    if one.tree == other.tree:
        return True
    agreed = 0
    for point in sample_points(one, other):
        close = _close(one, other, point)
        if close is False:
            return False
        agreed += close is True
    return agreed >= ENOUGH_POINTS


def _close(one: Expression, other: Expression, point: Point) -> bool | None:
    """Whether two values are the same; None if one of them is undefined (a pole, no real root).

    If both expressions are real, complex values that differ count as undefined: for b < 0 < a, the
    root of a/b is not the quotient of the roots. A value that is real in only one of them counts as
    undefined in the other, unless bars say that letters may be negative: ln |x| is not ln x.
    """
    first = Evaluation(point, BITS)
    try:
        a, b = first.value(one.tree), first.value(other.tree)
        if isinstance(a, Fraction) and isinstance(b, Fraction):
            return a == b
        if first.spread > MAX_SPREAD:
            return None
        noise = first.largest - BITS + NOISE
        if not _vanishes(a, b, noise):
            return _differ(one, other, a, b, noise)
        # So many bits that what remains of a difference is no error of rounding.
        bits = BITS + 100 + 2 * first.spread
        second = Evaluation(point, bits)
        a, b = second.value(one.tree), second.value(other.tree)
    except Undefined:
        return None
    if second.largest > first.largest + 20:
        return None  # a pole: it grows with the bits
    noise = second.largest - bits + NOISE
    return True if _vanishes(a, b, noise) else _differ(one, other, a, b, noise)


def _vanishes(a: Number, b: Number, noise: int) -> bool:
    difference = inexact(a) - inexact(b)
    return not difference or libraries().mag(difference) <= noise


def _differ(one: Expression, other: Expression, a: Number, b: Number, noise: int) -> bool | None:
    """What it means that two values differ."""
    mp = libraries()
    complex_values = [not _real(value) and mp.mag(value.imag) > noise for value in (a, b)]
    if complex_values[0] != complex_values[1]:
        bars = ("abs" in one.heads) != ("abs" in other.heads)
        return False if bars else None
    imaginary = "i" in one.heads or "i" in other.heads
    return None if complex_values[0] and not imaginary else False


def sample_points(one: Expression, other: Expression) -> Iterator[Point]:
    """The points at which to compare two expressions in the same letters; always the same points.

    A letter is any real number, or a whole number greater than 1 in a function that counts. Points
    are small and large, with letters of the same sign and of different signs, between -1 and 1,
    where |ln x| and |x^2 - x| turn, and around the numbers in the expressions, where |x - 20| does.
    """
    rng = Random(0)
    letters = sorted(one.letters)
    whole = one.whole | other.whole
    small = [Fraction(n) for n in range(2, 14)]
    if len(letters) == 1:
        values = [[number] for number in small]
    else:
        values = [[rng.choice(small) for _ in letters] for _ in range(16)]
    large = _large(one, other, rng)
    if not whole.issuperset(letters):
        values[:0] = [[Fraction(rng.randint(20, 900), 97) for _ in letters] for _ in range(6)]
        values += [[Fraction(rng.randint(-900, -20), 89) for _ in letters] for _ in range(4)]
        for index, number in enumerate(NEAR_ZERO):
            values.append([rng.choice(NEAR_ZERO) for _ in letters])
            values[-1][index % len(letters)] = number
        for numbers in (small, large):
            numbers += [-number - Fraction(rng.randint(1, 88), 89) for number in numbers]
    for index, number in enumerate(large):
        values.append([rng.choice(small + large) for _ in letters])
        values[-1][index % len(letters)] = number
    for numbers in values:
        yield {
            name: Fraction(max(2, abs(math.ceil(x)))) if name in whole else x
            for name, x in zip(letters, numbers, strict=True)
        }


def _large(one: Expression, other: Expression, rng: Random) -> list[Fraction]:
    """Whole numbers above 12: around the numbers in the expressions, and some of every size."""
    parts = one.numbers | other.numbers
    landmarks = sorted(n for n in parts if 13 < n <= LARGEST_LANDMARK)[-MAX_LANDMARKS:]
    top = max(400, 3 * max(landmarks, default=0))
    spread = [round(14 * (top / 14) ** ((i + rng.random()) / 8)) for i in range(8)]
    around = [n + step for n in landmarks for step in (-1, 0, 1)]
    return [Fraction(n) for n in around + spread]


def real_value(one: Expression) -> Number:
    """The value of an expression without letters, to 50 digits; None if it is not a real number."""
    if one.letters:
        return None
    try:
        value = Evaluation({}, BITS).value(one.tree)
    except Undefined:
        return None
    return value if _real(value) else None


def order(one: Expression, other: Expression) -> int:
    """Below, at or above zero as the first number is below, at or above the other."""
    if same_value(one, other):
        return 0
    a, b = real_value(one), real_value(other)
    if a is None or b is None:
        raise Unparseable("not a real number")
    exact = isinstance(a, Fraction) and isinstance(b, Fraction)
    return 1 if (a > b if exact else inexact(a) > inexact(b)) else -1
