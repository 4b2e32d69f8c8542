"""Expressions as math-verify's parser reads them, and when two have the same value.

Expressions are equal if their exact values are, or if they agree to 60 digits and more.
"""

# math-verify and SymPy leave their types unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingImports=false
# pyright: reportUnknownParameterType=false, reportMissingTypeStubs=false

import math
import re
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from random import Random
from typing import Any, TypeAlias

from rlve.errors import Unparseable, UserError
from rlve.judges.math.latex import GCD, explicit

MAX_DIGITS = 20_000  # in a number that SymPy may be asked to compute
ENOUGH_POINTS = 5  # at which two expressions must be defined and agree
MAX_LANDMARKS = 8  # numbers in two expressions around which they are compared
LARGEST_LANDMARK = 10**12
NEAR_ZERO = [Fraction(n, 97) for n in (5, 23, 41, 59, 77, 92, -7, -37, -61, -90)]

Expression: TypeAlias = Any  # a SymPy expression
Point: TypeAlias = dict[Any, Any]  # letter -> value, all of them SymPy's

_RATIONAL = re.compile(
    r"([+-]?)\s*(?:(\d+(?:\.\d*)?|\.\d+)(?:\s*[eE]\s*([+-]?\d{1,3}))?"
    r"|(\d+)\s*/\s*(\d+)|\\frac\{\s*([+-]?\d+)\s*\}\{\s*(\d+)\s*\})"
)
_RECURRING = re.compile(r"([+-]?)(\d+)\.(\d*)\\overline\{(\d+)\}")


@lru_cache(maxsize=4_000)
def expression(latex: str) -> Expression:
    """What math-verify's parser reads, evaluated; Unparseable if it is doubtful or too large."""
    try:
        import sympy
        from latex2sympy2_extended import latex2sympy
        from latex2sympy2_extended.latex2sympy2 import ConversionConfig

        from rlve.judges.math.gcd import Gcd
    except ImportError:
        raise UserError("judging mathematics needs math-verify: pip install 'rlve[math]'") from None
    known = rational(latex)
    if known is not None:
        return sympy.Rational(known.numerator, known.denominator)
    text = explicit(latex)
    try:
        # N and n are different letters to us.
        parsed = latex2sympy(
            text,
            is_real=True,
            normalization_config=None,
            conversion_config=ConversionConfig(lowercase_symbols=False),
        )
        if not isinstance(parsed, sympy.Expr):
            raise Unparseable("not an expression")
        _digits(parsed, {})
        decimals = {number: sympy.Rational(str(number)) for number in parsed.atoms(sympy.Float)}
        names = {letter: sympy.I for letter in parsed.free_symbols if str(letter) == "i"}
        exact: Expression = parsed.xreplace(decimals | names)
        unknown = exact.atoms(sympy.core.function.AppliedUndef)
        gcds = {call: Gcd(*call.args) for call in unknown if call.name.strip() == GCD}
        result = exact.xreplace(gcds).doit()
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001  the parser raises plain Exceptions
        raise Unparseable(f"not understood: {str(error)[:80]}") from None
    if not isinstance(result, sympy.Expr) or result.has(sympy.nan, sympy.zoo):
        raise Unparseable("not a number")
    return result


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


def _digits(expr: Expression, point: Point) -> float:
    """A rough upper bound on the digits of the largest number in an expression's value at a point.

    Unparseable is raised beyond MAX_DIGITS: 9^{9^{9}} would take all memory and hold up other
    answers.
    """
    import sympy

    inner = [_digits(part, point) for part in expr.args if isinstance(part, sympy.Basic)]
    if isinstance(expr, sympy.Rational):
        size = max(abs(int(expr.p)), int(expr.q)).bit_length() * 0.302
    elif isinstance(expr, sympy.Pow | sympy.exp):
        size = (inner[0] if len(inner) > 1 else 1) * _size(inner[-1])
    elif isinstance(expr, sympy.factorial | sympy.binomial | sympy.gamma):
        size = _size(max(inner)) * 4
    elif isinstance(expr, sympy.Add):
        size = max(inner) + len(inner) * 0.1
    elif isinstance(expr, sympy.Sum | sympy.Product):
        size = sum(inner) * _size(inner[-1])  # inner[-1]: the letter and its bounds
    elif expr in point:
        size = max(math.log10(abs(point[expr])), 0.5)
    else:
        size = sum(inner) if inner else 1.2  # most letters are at most 13, see sample_points
    if size > MAX_DIGITS:
        raise Unparseable("the number is too large")
    return size


def _size(digits: float) -> float:
    return 10.0 ** min(digits, 12)


def same_value(one: Expression, other: Expression) -> bool:
    """Whether two expressions have the same value, wherever both have one."""
    import sympy

    if one == other:
        return True
    if one.free_symbols != other.free_symbols:
        return False
    if isinstance(one, sympy.Rational) and isinstance(other, sympy.Rational):
        return False  # exact values that differ
    if any(form.has(sympy.core.function.AppliedUndef) for form in (one, other)):
        return _verified(one, other)  # f(x) has no value
    if not one.free_symbols:
        return _close(one, other) is True
    real = not (one.has(sympy.I) or other.has(sympy.I))
    agreed = 0
    for point in sample_points(one, other):
        close = _close(one.subs(point), other.subs(point), real=real)
        if close is False:
            return False
        agreed += close is True
    return agreed >= ENOUGH_POINTS


def _verified(one: Expression, other: Expression) -> bool:
    from math_verify import verify

    return bool(verify(one, other, float_rounding=12, timeout_seconds=None))


def sample_points(one: Expression, other: Expression) -> Iterator[Point]:
    """The points at which to compare two expressions in the same letters; always the same points.

    A letter is any real number, or a whole number greater than 1 beside a function that counts.
    Points are small and large, with letters of the same sign and of different signs, between -1 and
    1, where |ln x| and |x^2 - x| turn, and around the numbers in the expressions, where |x - 20|
    does. Points at which a value would have too many digits are left out.
    """
    import sympy

    from rlve.judges.math.gcd import Gcd

    functions = sympy.floor, sympy.ceiling, sympy.factorial, sympy.binomial, sympy.Mod, Gcd
    whole = one.has(*functions) or other.has(*functions)
    rng = Random(0)
    letters = sorted(one.free_symbols, key=str)
    small = [Fraction(n) for n in range(2, 14)]
    if len(letters) == 1:
        values = [[number] for number in small]
    else:
        values = [[rng.choice(small) for _ in letters] for _ in range(16)]
    large = _large(one, other, rng)
    if not whole:
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
        point = {name: sympy.Rational(x) for name, x in zip(letters, numbers, strict=True)}
        if all(_computable(expr, point) for expr in (one, other)):
            yield point


def _large(one: Expression, other: Expression, rng: Random) -> list[Fraction]:
    """Whole numbers above 12: around the numbers in the expressions, and some of every size."""
    import sympy

    numbers: set[Expression] = {*one.atoms(sympy.Rational), *other.atoms(sympy.Rational)}
    parts = {int(part) for number in numbers for part in (abs(number.p), number.q)}
    landmarks = sorted(n for n in parts if 13 < n <= LARGEST_LANDMARK)[-MAX_LANDMARKS:]
    top = max(400, 3 * max(landmarks, default=0))
    spread = [round(14 * (top / 14) ** ((i + rng.random()) / 8)) for i in range(8)]
    around = [n + step for n in landmarks for step in (-1, 0, 1)]
    return [Fraction(n) for n in around + spread]


def _computable(expr: Expression, point: Point) -> bool:
    try:
        _digits(expr, point)
    except Unparseable:
        return False
    return True


def _close(one: Expression, other: Expression, *, real: bool = False) -> bool | None:
    """Whether two values are the same; None if one of them is undefined (a pole, no real root).

    If they should be `real`, complex values that differ count as undefined: for b < 0 < a, the root
    of a/b is not the quotient of the roots.
    """
    if one == other:
        return True
    a, b = numeric(one), numeric(other)
    if a is None or b is None:
        return None
    # A product of many roots can be complex for negative letters; that does not count.
    if bool(a.imag) != bool(b.imag):
        return None
    largest = max(abs(a), abs(b))
    if abs(a - b) > 1e-20 * largest:
        return None if real and a.imag else False
    # 10^25 and 10^25 + pi share 24 digits, but SymPy computes the first digits of their difference
    # however many leading digits agree.
    difference = numeric(one - other)
    return difference is None or bool(abs(difference) <= 1e-60 * largest)


def numeric(expr: Expression) -> Any:
    """The value to 30 digits, as an mpmath number; None if it has no finite value."""
    import mpmath
    import sympy

    try:
        value = sympy.N(expr, 30)
        with mpmath.workdps(35):
            converted = mpmath.mpmathify(value)
    except (TypeError, ValueError, ArithmeticError, AttributeError, NotImplementedError):
        return None
    return converted if math.isfinite(abs(converted)) else None
