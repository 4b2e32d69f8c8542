"""Mathematical questions with one known answer, judged with math-verify.

Such questions come from data sets, not from a generator. `equal` says whether an answer means the
same as the truth. A wrong answer that is accepted is worse than a right one that is refused, so
math-verify gets only what it cannot misread: reading.py reads the outer form (lists, tuples,
intervals, units, equations), forms are compared here by strict rules, and math-verify's parser
reads the expressions inside them. Expressions are equal if their exact or 30-digit values are.

SymPy can take for ever on a hostile answer: judge outputs in a `rlve.pool.Pool`, whose deadline
ends it.
"""

# math-verify and SymPy leave their types unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingImports=false
# pyright: reportUnknownParameterType=false, reportMissingTypeStubs=false

import math
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from random import Random
from typing import Any, TypeAlias

from rlve.contract import Environment
from rlve.errors import Unparseable, UserError
from rlve.judges.math.reading import (
    Form,
    Items,
    Matrix,
    Named,
    Relation,
    Same,
    Union,
    Value,
    Without,
    Words,
    explicit,
    normal,
    readings,
)
from rlve.registry import DATA, register
from rlve.rewards import exact

MAX_CHARS = 1_000  # of an answer; what is longer is no closed form
MAX_DIGITS = 20_000  # of a number that SymPy is asked to compute
ENOUGH_DIGITS = 6  # significant ones, with which a rounded decimal stands for an exact value

Expression: TypeAlias = Any  # of SymPy


class MathQuestion(Environment[str]):
    """Answer a question of a data set; the answer is compared as mathematics, not as text."""

    question: str
    ground_truth: str

    template = "{question}"

    def parse(self, text: str) -> str:
        if not text or len(text) > MAX_CHARS:
            raise Unparseable(f"an answer of 1 to {MAX_CHARS:,} characters is expected")
        return text

    def score(self, answer: str) -> float:
        # Who is asked for a percentage may answer 8 for 8%.
        asked = "percent" in self.question.lower()
        return exact(equal(self.ground_truth, answer, percent=asked))

    def reference(self) -> str:
        return self.ground_truth


register(MathQuestion, family=DATA)


def equal(gold: str, answer: str, *, percent: bool = False) -> bool:
    """Whether an answer in LaTeX or plain notation means the same as the truth.

    Args:
        gold: the truth. Where it leaves something open, an answer may say more: a name (x = 5), a
            unit (5 cm), brackets around a list.
        answer: untrusted text.
        percent: whether 8 and 8% are the same.
    """
    if gold.strip() == answer.strip():
        return True
    try:
        ours, theirs = _normal(gold), normal(answer)
        if _squeezed(ours) == _squeezed(theirs):
            return True
        if _choice(ours) is not None and _choice(ours) == _choice(theirs):
            return True
        return any(_equal(g, a, percent) for g in _readings(ours) for a in readings(theirs))
    except (UserError, MemoryError):
        raise
    except Exception:  # noqa: BLE001  what SymPy fails at, in whatever way, is not known to be equal
        return False


# A truth is compared with many answers.
_normal = lru_cache(maxsize=1_000)(normal)
_readings = lru_cache(maxsize=1_000)(readings)


def _squeezed(text: str) -> str:
    """The text without the spaces that mean nothing; 2 3 and \\pi r need theirs."""
    return re.sub(r"(?<![\dA-Za-z]) +| +(?![\dA-Za-z])|(?<!\d) +(?=\d)|(?<=\d) +(?!\d)", "", text)


def _choice(text: str) -> str | None:
    """The letter, if the text is a choice such as B, (B), (b), B. or option B."""
    found = _CHOICE.fullmatch(re.sub(r"\\text\{([^{}]*)\}", r"\1", text).strip())
    return None if found is None else (found[1] or found[2]).upper()


_CHOICE = re.compile(r"(?:(?:[Oo]ption|[Cc]hoice) *)?(?:\(([A-Za-z])\)|([A-Z])[.):]?)")


# Forms.


def _equal(gold: Form, answer: Form, percent: bool) -> bool:
    def same(one: Form, other: Form) -> bool:
        return _equal(one, other, percent)

    if isinstance(answer, Same):
        return _equal_chain(gold, answer, same)
    if isinstance(gold, Same):
        return any(same(form, answer) for form in gold.forms)
    if isinstance(gold, Named) and isinstance(answer, Named):
        return _equal_named(gold, answer, same)
    if isinstance(gold, Named | Relation) and isinstance(answer, Named | Relation):
        return _equal_relations(gold, answer)
    if isinstance(gold, Named):
        return same(gold.form, answer) or _equal_records(gold, answer, same)
    if isinstance(answer, Named):
        return same(gold, answer.form) or _equal_records(gold, answer, same)
    if isinstance(gold, Value) and isinstance(answer, Value):
        return _equal_values(gold, answer, percent)
    if isinstance(gold, Words) or isinstance(answer, Words):
        return gold == answer
    if isinstance(gold, Matrix) and isinstance(answer, Matrix):
        shapes = [[len(row) for row in form.rows] for form in (gold, answer)]
        return shapes[0] == shapes[1] and _in_order(_cells(gold), _cells(answer), same)
    if isinstance(gold, Union | Without) or isinstance(answer, Union | Without):
        return _equal_sets(gold, answer, same)
    if isinstance(gold, Matrix) or isinstance(answer, Matrix):  # a vector can be a tuple
        one, other = (_vector(form) for form in (gold, answer))
        return one is not None and other is not None and _in_order(one, other, same)
    if isinstance(gold, Items) and isinstance(answer, Items):
        return _equal_items(gold, answer, same)
    # The only solution may stand in the brackets of a set.
    if isinstance(gold, Items) and gold.opening == "{" and len(gold.items) == 1:
        return same(gold.items[0], answer)
    if isinstance(answer, Items) and answer.opening == "{" and len(answer.items) == 1:
        return same(gold, answer.items[0])
    return False


_Comparison: TypeAlias = Callable[[Form, Form], bool]


def _equal_items(gold: Items, answer: Items, same: _Comparison) -> bool:
    if len(gold.items) != len(answer.items):
        return False
    kinds = gold.opening + gold.closing, answer.opening + answer.closing
    if set(kinds) <= {"", "{}"}:
        if "" in kinds and _all_named(gold) and _all_named(answer):
            return _equal_records(gold, answer, same)
        return _any_order(gold.items, answer.items, same)
    if kinds[0] == kinds[1]:
        return _in_order(gold.items, answer.items, same)
    if "{}" in kinds:  # {1, 2} has no order, (1, 2) has one
        return False
    # A list without brackets may mean a tuple, but never an interval with an end that belongs to
    # it: of two items, [1, 3] is one. Of more it is another way to write a tuple.
    if "" in kinds:
        if _all_named(gold) or _all_named(answer):
            return _equal_records(gold, answer, same)
        bracketed = kinds[0] or kinds[1]
        if bracketed == "()" or (bracketed == "[]" and len(gold.items) > 2):
            return _in_order(gold.items, answer.items, same)
        return False
    if set(kinds) == {"()", "[]"} and len(gold.items) > 2:
        return _in_order(gold.items, answer.items, same)
    return False


def _in_order(golds: Sequence[Form], answers: Sequence[Form], same: _Comparison) -> bool:
    return len(golds) == len(answers) and all(map(same, golds, answers))


def _any_order(golds: Sequence[Form], answers: Sequence[Form], same: _Comparison) -> bool:
    """Whether they are the same, each as often: -2, -2 is not -2."""
    left = list(answers)
    for gold in golds:
        found = next((i for i, answer in enumerate(left) if same(gold, answer)), None)
        if found is None:
            return False
        del left[found]
    return not left


def _equal_chain(gold: Form, answer: Same, same: _Comparison) -> bool:
    """2 + 3 = 5 is the answer 5 if all of it is true; 10/3 ~ 3.33 is the answer 10/3 or 3.33."""
    if answer.exact:
        return all(same(gold, form) for form in answer.forms)
    first, *others = answer.forms
    value = _number(first)
    if value is None:
        return False
    # Nobody may give two answers: what follows has to be the first, rounded.
    for form in others:
        written = form.latex if isinstance(form, Value) else ""
        digits = re.fullmatch(r"-?\d+(?:\.(\d{1,15}))?", written)
        if digits is None:
            return False
        half = 0.5001 * 10.0 ** -len(digits[1] or "")
        if abs(value - float(digits[0])) > half:
            return False
    return any(same(gold, form) for form in answer.forms)


def _equal_named(gold: Named, answer: Named, same: _Comparison) -> bool:
    if gold.name == answer.name:
        return same(gold.form, answer.form)
    # f(n) = 2n is the function f(x) = 2x.
    ours, theirs = (re.fullmatch(r"(\w)\((\w)\)", form.name) for form in (gold, answer))
    if ours and theirs and ours[1] == theirs[1]:
        renamed = _renamed(answer.form, theirs[2], ours[2])
        return renamed is not None and same(gold.form, renamed)
    return _equal_relations(gold, answer) or _equal_records(gold, answer, same)


def _renamed(form: Form, old: str, new: str) -> Form | None:
    if not isinstance(form, Value) or re.search(rf"(?<![\\A-Za-z]){new}(?![A-Za-z])", form.latex):
        return None
    letter = re.compile(rf"(?<!\\)(?<!\\[a-z])(?<![a-z]{{2}}){old}(?![a-z]{{2}})")
    return Value(letter.sub(new, form.latex), form.unit)


def _all_named(form: Form) -> bool:
    return isinstance(form, Items) and all(isinstance(item, Named) for item in form.items)


def _record(form: Form) -> dict[str, Form] | None:
    """Name -> value, of a = 2, b = 3 and of (a, b) = (2, 3)."""
    if isinstance(form, Named) and form.name.startswith("(") and isinstance(form.form, Items):
        names = form.name.strip("()").split(",")
        if len(names) == len(set(names)) == len(form.form.items):
            return dict(zip(names, form.form.items, strict=True))
    if isinstance(form, Items):
        pairs = [(item.name, item.form) for item in form.items if isinstance(item, Named)]
        if len(pairs) == len(dict(pairs)) == len(form.items):
            return dict(pairs)
    return None


def _equal_records(gold: Form, answer: Form, same: _Comparison) -> bool:
    ours, theirs = _record(gold), _record(answer)
    if ours is not None and theirs is not None:
        return ours.keys() == theirs.keys() and all(same(ours[k], theirs[k]) for k in ours)
    # A tuple without names has its components in the order of the alphabet: (x, y), (a, b, c).
    record, other = (ours, answer) if ours is not None else (theirs, gold)
    if record is None or not isinstance(other, Items) or other.opening not in ("", "("):
        return False
    values = [record[name] for name in sorted(record)]
    if other.opening == "":
        return _any_order(values, other.items, same)
    return other.closing == ")" and _in_order(values, other.items, same)


def _cells(matrix: Matrix) -> list[Form]:
    return [cell for row in matrix.rows for cell in row]


def _vector(form: Form) -> Sequence[Form] | None:
    if isinstance(form, Matrix):
        return _cells(form) if len(form.rows) == 1 or len(form.rows[0]) == 1 else None
    ordered = isinstance(form, Items) and form.opening + form.closing in ("()", "[]")
    return form.items if isinstance(form, Items) and ordered else None


# Sets of numbers.


def _equal_sets(gold: Form, answer: Form, same: _Comparison) -> bool:
    ours, theirs = _parts(gold), _parts(answer)
    if ours and theirs and _any_order(ours, theirs, same):
        return True
    try:
        one, other = _as_set(gold), _as_set(answer)
    except Unparseable:
        return False
    return bool(one == other)


def _parts(form: Form) -> list[Form]:
    if isinstance(form, Union):
        return [inner for part in form.parts for inner in _parts(part)]
    if isinstance(form, Named):
        return _parts(form.form)
    if isinstance(form, Items) and not form.opening:  # x < 1 or x > 3
        return [inner for part in form.items for inner in _parts(part)]
    return [] if isinstance(form, Without) else [form]


def _as_set(form: Form) -> Expression:
    import sympy

    if isinstance(form, Named):
        return _as_set(form.form)
    if isinstance(form, Without):
        return sympy.Complement(_as_set(form.whole), _as_set(form.removed))
    if isinstance(form, Union) or (isinstance(form, Items) and not form.opening):
        parts = form.parts if isinstance(form, Union) else form.items
        return sympy.Union(*(_as_set(part) for part in parts))
    if isinstance(form, Items) and form.opening == "{":
        return sympy.FiniteSet(*(_real(item) for item in form.items))
    if isinstance(form, Items) and len(form.items) == 2:
        low, high = (_real(item) for item in form.items)
        return sympy.Interval(low, high, form.opening == "(", form.closing == ")")
    raise Unparseable("not a set of numbers")


def _real(form: Form) -> Expression:
    if isinstance(form, Value) and form.unit is None:
        found = expression(form.latex)
        if found.is_extended_real and not found.free_symbols:
            return found
    raise Unparseable("not a real number")


# Equations and inequalities.


def _equal_relations(gold: Named | Relation, answer: Named | Relation) -> bool:
    """Whether the difference of the sides is the same, up to a factor that changes nothing."""
    ours, theirs = _relation(gold), _relation(answer)
    if ours is None or theirs is None or ours[1] != theirs[1]:
        return False
    try:
        one = expression(f"({ours[0]})-({ours[2]})")
        other = expression(f"({theirs[0]})-({theirs[2]})")
        if one.free_symbols != other.free_symbols or not one.free_symbols:
            return False
        factors = {_ratio(one, other, point) for point in _points(one, whole=False)[:6]}
    except Unparseable:
        return False
    if None in factors or len(factors) != 1:
        return False
    (factor,) = factors
    return bool(factor) and (ours[1] in ("=", "\\ne") or factor > 0)  # pyright: ignore


def _relation(form: Named | Relation) -> tuple[str, str, str] | None:
    if isinstance(form, Relation):
        return form.left, form.sign, form.right
    if isinstance(form.form, Value) and form.form.unit is None:
        return form.name, "=", form.form.latex
    return None


def _ratio(one: Expression, other: Expression, point: dict[Any, Any]) -> float | None:
    a, b = (_numeric(form.subs(point)) for form in (one, other))
    if a is None or b is None or abs(b) < 1e-12 or a.imag or b.imag:
        return None
    return round(float(a.real / b.real), 9)


# Values.

_RATIONAL = re.compile(
    r"([+-]?)\s*(?:(\d+(?:\.\d*)?|\.\d+)(?:\s*[eE]\s*([+-]?\d{1,3}))?"
    r"|(\d+)\s*/\s*(\d+)|\\frac\{\s*([+-]?\d+)\s*\}\{\s*(\d+)\s*\})"
)
_RECURRING = re.compile(r"([+-]?)(\d+)\.(\d*)\\overline\{(\d+)\}")
_BASED = re.compile(r"([0-9A-Z]+)_\{?(?:\\text\{)?([0-9a-z]+)\}*")


def _equal_values(gold: Value, answer: Value, percent: bool) -> bool:
    if gold.unit != answer.unit:
        if "percent" in (gold.unit, answer.unit):
            if percent and (gold.unit is None or answer.unit is None):
                return _equal_latex(gold.latex, answer.latex) or _equal_numbers(gold, answer)
            return _equal_numbers(gold, answer)
        if gold.unit is not None and answer.unit is not None:
            return False  # 5 cm is not 5 m
        if "degree" in (gold.unit, answer.unit):
            return _equal_latex(gold.latex, answer.latex) or _equal_angles(gold, answer)
    return _equal_latex(gold.latex, answer.latex)


def _equal_numbers(gold: Value, answer: Value) -> bool:
    """Whether they are the same number if a percentage is a hundredth."""
    if {gold.unit, answer.unit} != {"percent", None}:
        return False
    return _equal_latex(*(_scaled(value, "percent", "\\frac{1}{100}") for value in (gold, answer)))


def _equal_angles(gold: Value, answer: Value) -> bool:
    """Whether an angle without a unit is the other one in radians."""
    return _equal_latex(*(_scaled(v, "degree", "\\frac{\\pi}{180}") for v in (gold, answer)))


def _scaled(value: Value, unit: str, factor: str) -> str:
    return f"({value.latex})\\cdot {factor}" if value.unit == unit else value.latex


def _equal_latex(gold: str, answer: str) -> bool:
    gold, answer = _squeezed(gold), _squeezed(answer)
    if gold == answer:
        return True
    ours, theirs = _rational(gold), _rational(answer)
    if ours is not None and theirs is not None:
        return ours == theirs or _rounded(gold, answer, ours, theirs)
    based = _BASED.fullmatch(gold), _BASED.fullmatch(answer)
    if based[0] or based[1]:
        return _equal_in_bases(gold, answer, *based)
    try:
        one, other = expression(gold), expression(answer)
    except Unparseable:
        return False
    if _same(one, other):
        return True
    if one.free_symbols or other.free_symbols:
        return False
    values = _numeric(one), _numeric(other)
    if values[0] is None or values[1] is None or values[0].imag or values[1].imag:
        return False
    return _rounded(gold, answer, values[0].real, values[1].real)


def _rational(text: str) -> Fraction | None:
    """The exact value of an integer, a decimal or a fraction."""
    found = _RATIONAL.fullmatch(text)
    if found:
        sign, decimal, power, over, under, upper, lower = found.groups()
        if decimal is not None:
            size = Fraction(decimal) * Fraction(10) ** int(power or 0)
        else:
            below = int(under or lower)
            if below == 0:
                return None
            size = Fraction(int(over or upper), below)
        return -size if sign == "-" else size
    found = _RECURRING.fullmatch(text)
    if found:
        sign, whole, fixed, period = found.groups()
        nines = 10 ** len(period) - 1
        size = Fraction(int(whole + fixed) * nines + int(period), 10 ** len(fixed) * nines)
        return -size if sign == "-" else size
    return None


def _rounded(gold: str, answer: str, ours: Any, theirs: Any) -> bool:
    """Whether just one is a decimal, and it is the other one rounded to enough digits."""
    decimals = [re.fullmatch(r"[+-]?\d*\.\d+", text) for text in (gold, answer)]
    written = decimals[0] or decimals[1]
    if written is None or (decimals[0] and decimals[1]):
        return False
    if len(written[0].lstrip("+-0.").replace(".", "")) < ENOUGH_DIGITS:
        return False
    places = len(written[0].partition(".")[2])
    return bool(abs(ours - theirs) * 2 * 10**places <= 1)


def _equal_in_bases(
    gold: str, answer: str, ours: re.Match[str] | None, theirs: re.Match[str] | None
) -> bool:
    """123_7 is 123 if the base is left out, and 66_{10}, which math-verify would take for 66."""
    if ours is None or theirs is None:
        digits = (ours or theirs)[1]  # pyright: ignore[reportOptionalSubscript]
        return digits == (answer if theirs is None else gold)
    try:
        return int(ours[1], int(ours[2])) == int(theirs[1], int(theirs[2]))
    except ValueError:  # 9_7, x_1
        return ours.groups() == theirs.groups()


def _number(form: Form) -> float | None:
    if not isinstance(form, Value) or form.unit:
        return None
    try:
        value = _numeric(expression(form.latex))
    except Unparseable:
        return None
    return None if value is None or value.imag else float(value.real)


# Expressions.


@lru_cache(maxsize=4_000)
def expression(latex: str) -> Expression:
    """What math-verify's parser reads, evaluated; Unparseable if that is in doubt or too large."""
    try:
        import sympy
        from latex2sympy2_extended import latex2sympy
        from latex2sympy2_extended.latex2sympy2 import ConversionConfig
    except ImportError:
        raise UserError("judging mathematics needs math-verify: pip install 'rlve[math]'") from None
    known = _rational(latex)
    if known is not None:
        return sympy.Rational(known.numerator, known.denominator)
    text = explicit(latex)
    try:
        # N and n are different letters to us.
        found = latex2sympy(
            text,
            is_real=True,
            normalization_config=None,
            conversion_config=ConversionConfig(lowercase_symbols=False),
        )
        if not isinstance(found, sympy.Expr):
            raise Unparseable("not an expression")
        _digits(found)
        decimals = {number: sympy.Rational(str(number)) for number in found.atoms(sympy.Float)}
        names = {letter: sympy.I for letter in found.free_symbols if str(letter) == "i"}
        result = found.xreplace(decimals | names).doit()
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001  the parser raises Exceptions of no other class
        raise Unparseable(f"not understood: {str(error)[:80]}") from None
    if not isinstance(result, sympy.Expr) or result.has(sympy.nan, sympy.zoo):
        raise Unparseable("not a number")
    return result


def _digits(expr: Expression) -> float:
    """About how many digits the largest number in the value of an expression has, at most.

    Unparseable is raised beyond MAX_DIGITS: 9^{9^{9}} would take all memory, and with it time
    that other answers need.
    """
    import sympy

    inner = [_digits(part) for part in expr.args if isinstance(part, sympy.Basic)]
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
    else:
        size = sum(inner) if inner else 1.2  # a letter is at most 13, see _points
    if size > MAX_DIGITS:
        raise Unparseable("too large a number")
    return size


def _size(digits: float) -> float:
    return 10.0 ** min(digits, 12)


def _same(one: Expression, other: Expression) -> bool:
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
    functions = sympy.floor, sympy.ceiling, sympy.factorial, sympy.binomial, sympy.Mod
    whole = one.has(*functions) or other.has(*functions)
    outcomes = [_close(one.subs(point), other.subs(point)) for point in _points(one, whole=whole)]
    return False not in outcomes and outcomes.count(True) >= 5


def _verified(one: Expression, other: Expression) -> bool:
    from math_verify import verify

    return bool(verify(one, other, float_rounding=12, timeout_seconds=None))


def _points(expr: Expression, *, whole: bool) -> list[dict[Any, Any]]:
    """Where two expressions in the letters of this one are compared; always the same places."""
    import sympy

    rng = Random(0)
    letters = sorted(expr.free_symbols, key=str)
    if len(letters) == 1:
        values = [[Fraction(n)] for n in range(2, 14)]
    else:
        values = [[Fraction(rng.randint(2, 13)) for _ in letters] for _ in range(16)]
    if not whole:
        values[:0] = [[Fraction(rng.randint(20, 900), 97) for _ in letters] for _ in range(6)]
        values += [[Fraction(rng.randint(-900, -20), 89) for _ in letters] for _ in range(4)]
    return [
        {name: sympy.Rational(x) for name, x in zip(letters, point, strict=True)}
        for point in values
    ]


def _close(one: Expression, other: Expression) -> bool | None:
    """Whether two values are the same; None if one of them is not there (a pole, no real root)."""
    if one == other:
        return True
    a, b = _numeric(one), _numeric(other)
    if a is None or b is None:
        return None
    # A product of many roots can be complex for negative letters; that is no difference.
    if bool(a.imag) != bool(b.imag):
        return None
    return bool(abs(a - b) <= 1e-20 * max(abs(a), abs(b)))


def _numeric(expr: Expression) -> Any:
    """Its value to 30 digits, an mpmath number; None if it has no finite one."""
    import mpmath
    import sympy

    try:
        value = sympy.N(expr, 30)
        with mpmath.workdps(35):
            found = mpmath.mpmathify(value)
    except (TypeError, ValueError, ArithmeticError, AttributeError, NotImplementedError):
        return None
    return found if math.isfinite(abs(found)) else None
