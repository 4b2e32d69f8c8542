r"""Finding and parsing the answer in untrusted model output.

All environments share one token grammar: integers are an optional sign and ASCII digits (leading
zeros allowed), decimals may have a fraction and an exponent, tokens are separated by white space.
Every function is linear in the length of its text, evaluates nothing, and raises Unparseable with
the reason if the text does not have the required form.
"""

import math
import re
from collections.abc import Collection, Iterable
from itertools import accumulate
from operator import indexOf
from typing import Literal, TypeAlias, get_args

from rlve.errors import Unparseable, UserError

MAX_CHARS = 100_000
MAX_DIGITS = 1_000  # int() is quadratic, and raises beyond 4,300 digits
MAX_BOXES = 1_000  # an output whose last 1,000 boxes are never closed has no answer

Marker: TypeAlias = Literal["answer", "boxed", "any"]
"""How an output marks its answer: with <answer>...</answer>, \\boxed{...}, or either of them."""

Reading: TypeAlias = Literal["exact", "forgiving"]
"""How an answer is read: exactly as written, or also without the formatting around it."""

IN_A_BOX = r"inside \boxed{}"
IN_TAGS = "in <answer> </answer> tags"
BETWEEN_TAGS = "between <answer> and </answer>"
_PLACES = (IN_A_BOX, IN_TAGS, BETWEEN_TAGS)  # a prompt says so, and who repeats it has not answered

_MARKERS: tuple[object, ...] = get_args(Marker)
_READINGS: tuple[object, ...] = get_args(Reading)

_INTEGER = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")


def check_marker(marker: object) -> None:
    """Raise a UserError unless it is a Marker."""
    if marker not in _MARKERS:
        raise UserError(f"the marker must be 'answer', 'boxed' or 'any', not {marker!r}")


def check_reading(reading: object) -> None:
    """Raise a UserError unless it is a Reading."""
    if reading not in _READINGS:
        raise UserError(f"the reading must be 'exact' or 'forgiving', not {reading!r}")


def extract(output: str, marker: Marker = "any") -> str:
    r"""The text of the last <answer>...</answer> or, if there is none, of the last \boxed{...}.

    A marker that is never closed is ignored; if markers are nested, the innermost counts. Words of
    the prompt that say where the answer goes are no answer.
    """
    check_marker(marker)
    for words in _PLACES:
        output = output.replace(words, "")
    text = None
    if marker != "boxed":
        text = _last_tagged(output)
    if text is None and marker != "answer":
        text = _last_boxed(output)
    if text is None:
        raise Unparseable(f"no answer is marked ({_EXPECTED[marker]})")
    if len(text) > MAX_CHARS:
        raise Unparseable(f"the answer has {len(text):,} characters, more than {MAX_CHARS:,}")
    return text.strip()


_EXPECTED = {
    "answer": "expected <answer>...</answer>",
    "boxed": "expected \\boxed{...}",
    "any": "expected <answer>...</answer> or \\boxed{...}",
}


def _last_tagged(output: str) -> str | None:
    opening = output.rfind("<answer>", 0, max(0, output.rfind("</answer>")))
    if opening < 0:
        return None
    start = opening + len("<answer>")
    return output[start : output.index("</answer>", start)]


def _last_boxed(output: str) -> str | None:
    # The text after each box, up to the next. A box still open there is never closed, nor is one
    # that was open before it: the inner box would have to close first.
    for text in reversed(output.rsplit(_BOXED, MAX_BOXES)[1:]):
        close = closing_brace(text)
        if close is not None:
            return text[:close]
    return None


_BOXED = "\\boxed{"


def closing_brace(text: str) -> int | None:
    """The index that closes a brace opened just before the text; fast for a million braces."""
    first = text.find("}")
    if "{" not in text[: max(first, 0)]:
        return None if first < 0 else first
    # One byte per character: 1 opens, -1 closes, 0 is neither.
    steps = memoryview(text.encode("latin-1", "replace").translate(_STEPS)).cast("b")
    try:
        return indexOf(accumulate(steps, initial=1), 0) - 1
    except ValueError:
        return None


_STEPS = bytes({"{": 1, "}": 255}.get(chr(code), 0) for code in range(256))


def integer(text: str, *, low: int | None = None, max_digits: int = MAX_DIGITS) -> int:
    """One integer in decimal notation, not below `low` if given."""
    if not _INTEGER.fullmatch(text) or len(text) > max_digits + 1:
        raise Unparseable(f"not an integer of at most {max_digits:,} digits: {text[:40]!r}")
    value = int(text)
    if low is not None and value < low:
        raise Unparseable(f"an integer below {low}: {text[:40]}")
    return value


def integers(text: str, *, count: int | None = None, at_least: int = 0) -> list[int]:
    """Integers separated by white space: exactly `count` of them if given, or `at_least`."""
    tokens = text.split()
    if count is not None and len(tokens) != count:
        raise Unparseable(f"{len(tokens):,} integers, not {count}")
    if len(tokens) < at_least:
        raise Unparseable(f"{len(tokens):,} integers, not {at_least} or more")
    wrong = {t for t in set(tokens) if len(t) > MAX_DIGITS + 1 or not _INTEGER.fullmatch(t)}
    if wrong:
        integer(next(token for token in tokens if token in wrong))  # which raises
    return list(map(int, tokens))


def decimal(text: str) -> float:
    """One finite decimal number, such as -2, 0.5 or 1e-3."""
    if not _DECIMAL.fullmatch(text) or len(text) > MAX_DIGITS:
        raise Unparseable(f"not a decimal number: {text[:40]!r}")
    value = float(text)
    if not math.isfinite(value):
        raise Unparseable(f"the number is too large: {text[:40]!r}")
    return value


def decimals(text: str) -> list[float]:
    """Finite decimal numbers separated by white space."""
    return [decimal(token) for token in text.split()]


def fraction(text: str) -> tuple[int, int]:
    """The two integers of a fraction p/q, as written."""
    numerator, slash, denominator = text.partition("/")
    if not slash:
        raise Unparseable(f"not a fraction p/q: {text[:40]!r}")
    return integer(numerator.strip()), integer(denominator.strip())


def word(text: str, allowed: Collection[str], *, reward: float = -1.0) -> str:
    """One of the allowed words; any other text gets the reward."""
    if text not in allowed:
        raise Unparseable(f"not one of {', '.join(allowed)}: {text[:40]!r}", reward=reward)
    return text


def letters(text: str, alphabet: str, *, reward: float = -1.0) -> str:
    """A string over an alphabet, of any length; any other text gets the reward."""
    if not set(text) <= set(alphabet):
        raise Unparseable(f"a character other than {' '.join(alphabet)}", reward=reward)
    return text


def text_lines(text: str) -> list[str]:
    """The non-blank lines, stripped."""
    return [line for raw in text.splitlines() if (line := raw.strip())]


def integer_rows(
    text: str, *, rows: int | None = None, columns: int | None = None
) -> list[list[int]]:
    """One row of integers per non-blank line, in the given shape."""
    counts = [count for line in text.splitlines() if (count := len(line.split()))]
    if rows is not None and len(counts) != rows:
        raise Unparseable(f"{len(counts):,} lines, not {rows}")
    if columns is not None and any(count != columns for count in counts):
        raise Unparseable(f"a line that does not have {columns} integers")
    values = integers(text)  # all at once, which is quick for thousands of lines
    return [
        values[end - count : end] for count, end in zip(counts, accumulate(counts), strict=True)
    ]


def character_rows(
    text: str, *, rows: int, columns: int, characters: Iterable[str] | None = None
) -> list[str]:
    """A grid of characters, one row per non-blank line."""
    grid = text_lines(text)
    if len(grid) != rows or any(len(row) != columns for row in grid):
        raise Unparseable(f"not {rows} lines of {columns} characters")
    if characters is not None and not set(characters).issuperset("".join(grid)):
        raise Unparseable("a character that does not belong there")
    return grid


def pairs(values: list[int]) -> list[tuple[int, int]]:
    """Consecutive values, two by two."""
    if len(values) % 2:
        raise Unparseable(f"an odd number of values, {len(values)}, cannot be paired")
    return list(zip(values[::2], values[1::2], strict=True))
