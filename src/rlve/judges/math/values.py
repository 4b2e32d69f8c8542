"""Comparing values: numbers and expressions, with their units."""

import re
from fractions import Fraction

from rlve.errors import Unparseable
from rlve.judges.math.expressions import (
    Number,
    expression,
    inexact,
    rational,
    real_value,
    same_value,
    spend,
)
from rlve.judges.math.forms import Form, Value
from rlve.judges.math.notation import squeezed

ENOUGH_DIGITS = 6  # significant digits that let a rounded decimal stand for an exact value

_RATIO = re.compile(r"(?<=\d):(?=\d$)")  # 7:30 is a time
_BASED = re.compile(r"([0-9A-Z]+)_\{?(?:\\text\{)?([0-9a-z]+)\}*")


def equal_values(gold: Value, answer: Value, percent: bool) -> bool:
    """Whether they are the same; one may lack its unit, but two units must agree."""
    units = {gold.unit, answer.unit}
    if len(units) == 2 and (None not in units or "mod " in f"{gold.unit} {answer.unit}"):
        return False  # 5 cm is not 5 m; 2 is not whatever is 2 mod 5
    if units == {"percent", None} and not percent:
        return _equal_latex(_plain(gold), _plain(answer))
    if _equal_latex(gold.latex, answer.latex):
        return True
    # An angle without a unit may be in radians.
    return units == {"degree", None} and _equal_latex(_plain(gold), _plain(answer))


_PLAIN = {"percent": "\\frac{1}{100}", "degree": "\\frac{\\pi}{180}"}


def _plain(value: Value) -> str:
    """A percentage or an angle as a number without a unit: 1% is 0.01."""
    return value.latex if value.unit is None else f"({value.latex})\\cdot {_PLAIN[value.unit]}"


def _equal_latex(gold: str, answer: str) -> bool:
    spend(4)
    gold, answer = squeezed(gold), squeezed(answer)
    answer = _with_letters_of(gold, answer)
    if gold == answer or _infinite(gold) == _infinite(answer) != 0:
        return True
    truth, given = rational(_RATIO.sub("/", gold)), rational(answer)
    if truth is not None and given is not None:
        return truth == given or _rounded(gold, answer, truth, given)
    based = _BASED.fullmatch(gold), _BASED.fullmatch(answer)
    if based[0] or based[1]:
        return _equal_in_bases(*based)
    try:
        one, other = expression(gold), expression(answer)
    except Unparseable:
        return False
    if same_value(one, other):
        return True
    values = real_value(one), real_value(other)
    return None not in values and _rounded(gold, answer, *map(inexact, values))


_WHOLE = re.compile(r"(?<![\\A-Za-z])[kmn](?![A-Za-z])")


def _with_letters_of(gold: str, answer: str) -> str:
    """The answer, with the truth's letters for any number: n pi is k pi, and + c is + C."""
    if gold.endswith("+C") and answer.endswith("+c"):
        letters = re.sub(r"\\[a-z]+", "", gold + answer)
        answer = answer[:-1] + "C" if letters.count("c") == 1 else answer
    truth, given = set(_WHOLE.findall(gold)), set(_WHOLE.findall(answer))
    periodic = "\\pi" in gold and "\\pi" in answer and len(truth) == len(given) == 1
    return _WHOLE.sub(truth.pop(), answer) if periodic else answer


def _infinite(text: str) -> int:
    return {"\\infty": 1, "+\\infty": 1, "-\\infty": -1}.get(text, 0)


def _rounded(gold: str, answer: str, truth: Number, given: Number) -> bool:
    """Whether exactly one is a decimal, and it is the other one rounded to enough digits."""
    decimals = [re.fullmatch(r"[+-]?\d*\.\d+", text) for text in (gold, answer)]
    written = decimals[0] or decimals[1]
    if written is None or (decimals[0] and decimals[1]):
        return False
    if len(written[0].lstrip("+-0.").replace(".", "")) < ENOUGH_DIGITS:
        return False
    places = len(written[0].partition(".")[2])
    return bool(abs(truth - given) * 2 * 10**places <= 1)


def _equal_in_bases(truth: re.Match[str] | None, given: re.Match[str] | None) -> bool:
    """123_7 is 66_{10}, not 66; 123 alone is another number."""
    if truth is None or given is None:
        return False
    if truth[1].isalpha() and given[1].isalpha():  # A_{11} is a name
        return truth.groups() == given.groups()
    try:
        bases = int(truth[2]), int(given[2])
        return min(bases) >= 2 and int(truth[1], bases[0]) == int(given[1], bases[1])
    except ValueError:  # 9_7
        return truth.groups() == given.groups()


def is_rounded(form: Form, value: Form) -> bool:
    """Whether a form is a decimal number to which another form can be rounded."""
    if not isinstance(form, Value) or not isinstance(value, Value) or form.unit or value.unit:
        return False
    digits = re.fullmatch(r"-?\d{1,40}(?:\.(\d{1,15}))?", form.latex)
    exact = None if digits is None else real_value(expression(value.latex))
    if digits is None or exact is None:
        return False
    written, half = Fraction(digits[0]), Fraction(1, 2 * 10 ** len(digits[1] or ""))
    if isinstance(exact, Fraction):
        away = abs(exact) < abs(written)  # 7.5 is about 8, not 7
        return abs(exact - written) < half or (abs(exact - written) == half and away)
    return bool(abs(exact - inexact(written)) < inexact(half))
