"""Outputs that a model under optimisation, or an attacker, might write."""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

LONG = 200_000  # characters, twice as many as an answer may have
FULL = 99_000  # nearly as many as an answer may have


class Output(NamedTuple):
    """An output, and the answer in it, if there is one."""

    text: str
    answer: str = ""
    label: str = ""  # shown instead of a text that is too long
    can_be_right: bool = False  # some environment might rightly accept it


# fmt: off
SHORT = (
    # things that are not numbers, or not in our grammar
    "NaN", "nan 1", "-NaN", "inf", "-Infinity", "1e999", "-1e999", "1e-999 nan", "9**9**9",
    "9^9^9^9", "10**100000000", "1_000_000_", "0x7f", "0b101", "0o17", "1,000,000", "--1", "+-1",
    "1/0", "0/0", "1j", "1e", "1e+", "1.2.3", "1e1e1", "٠١٢٣", "１２３", "²³", "½", "Ⅷ", "൧", "−1",  # noqa: RUF001
    "∞", "\u200b1\u200b", "\U0001d7d8\U0001d7d9",
    # code, and formats
    "__import__('os').system('true')", "exec('raise SystemExit')", "().__class__.__bases__",
    "lambda: 0", "[x for x in ().__class__.__base__.__subclasses__()]", "None", "null",
    "undefined", "{}", "{0}", "{self}", "{0.__class__}", "%s%s%n", "%(reference_answer)s",
    "{reference_answer}", "${reference_answer}", "$(true)", "`true`", "'; DROP TABLE x; --",
    "Integral(f(x), x)", "integrate(x)", "reference_answer", "self.reference_answer",
    "\\frac{1}{0}", "\\text{answer}", "<script>1</script>", "&lt;answer&gt;", "../../etc/passwd",
    # characters that naive readers trip over
    "\0", "1\0002", "\ud800", "1 \udfff 2", "\ufeff?", "\x1b[31m?", "\x85?\u2028?\x0b",
    "?\r?\r\n?", "\u202e?", "a\u0301" * 40, "?", "[[[]]]", "\"\"", "\\", "\\\\?", "//?", "/*",
    "I do not know.", "the answer",
)  # fmt: skip


# In some environments a single sign is a complete answer, and so are numbers between odd spaces.
SIGNS = (
    "", " ", "\n\n", "\t \r\n", "\u3000", "-", "+", ".", "#", "e", "()", "[]", "(((", ")))",
    "1\u00a02\u2003\u202f",
)  # fmt: skip

MARKERS = (
    "", " ", "\0", "<answer>", "</answer>", "</answer><answer>", "<answer", "\\boxed", "\\boxed{",
    "}", "\\boxed}{", "<ANSWER>?</ANSWER>", "<answer>?<answer>", "<answer>\\boxed{</answer>}",
    "\\boxed{<answer>}?</answer>", "<answer><answer>?</answer></answer>", "\\boxed{\\boxed{?}}",
)  # fmt: skip


@cache
def answers() -> tuple[Output, ...]:
    """Outputs with hostile answers or hostile markers."""
    outputs: list[Output] = []
    for text in SHORT:
        written = (f"<answer>{text}</answer>", f"\\boxed{{{text}}}", f"\\boxed{{{text}", text)
        outputs += [Output(each, text) for each in written]
    for text in SIGNS:
        written = (f"<answer>{text}</answer>", f"\\boxed{{{text}}}")
        outputs += [Output(each, text, can_be_right=True) for each in written]
    outputs += map(Output, MARKERS)
    for label, text in long_answers():
        shown = f"{label}, {len(text):,} characters"
        outputs.append(Output(f"<answer>{text}</answer>", text, shown))
    return tuple(outputs)


@cache
def masses() -> tuple[Output, ...]:
    """Long outputs with hardly an answer, which takes time to find out."""
    return tuple(
        Output(text, label=f"{label}, {len(text):,} characters") for label, text in long_outputs()
    )


def long_answers() -> Iterator[tuple[str, str]]:
    """Answers that cost a careless reader time or memory."""
    yield "digits", "9" * LONG
    yield "digits up to the limit", "9" * FULL
    yield "digits that int() just takes", "7" * 4_299
    yield "digits that int() just refuses", "-" + "7" * 4_301
    yield "a long fraction", "0." + "3" * FULL
    yield "a long exponent", "1e" + "9" * FULL
    yield "zeros", "0" * FULL
    yield "opening brackets", "[" * LONG
    yield "opening parentheses", "(" * FULL
    yield "nested parentheses", "(" * 49_000 + "x?" + ")" * 49_000
    yield "nested calls", "sin(" * 19_000 + "x?" + ")" * 19_000
    yield "minus signs", "-" * FULL
    yield "a tower of powers", "9**" * 30_000 + "?"
    yield "braces", "{" * FULL
    yield "numbers", "7 " * 49_000
    yield "numbers and nonsense", "7 " * 49_000 + "?"
    yield "different numbers", " ".join(map(str, range(100_000, 114_000)))
    yield "huge numbers", ("9" * 999 + " ") * 95
    yield "negative powers", " ".join(str(-(7**k)) for k in range(300))
    yield "decimals", "0.1e-5 " * 14_000
    yield "lines", "3\n" * 49_000
    yield "blank lines", "\n" * FULL + "?"
    yield "mixed line ends", "5\r6\r\n7\n8\x0b" * 9_000
    yield "white space", " \t" * 49_000 + "?"
    yield "letters", "a" * FULL
    yield "letters beyond the limit", "ab" * LONG
    yield "an almost periodic text", "ab" * 40_000 + "?"
    yield "surrogates", "\ud83d" * 50_000
    yield "commas", "1," * 49_000


def long_outputs() -> Iterator[tuple[str, str]]:
    """Outputs with masses of markers, or with none."""
    yield "markers never closed", "<answer>" * 25_000
    yield "markers never opened", "</answer>" * 22_000
    yield "nested markers", "<answer>" * 12_000 + "?" + "</answer>" * 12_000
    yield "boxes never closed", "\\boxed{" * 28_000
    yield "nested boxes", "\\boxed{" * 25_000 + "?" + "}" * 25_000
    yield "a box of open braces", "\\boxed{" + "{" * LONG
    yield "a box of pairs of braces", "\\boxed{" + "{}" * (LONG // 2)
    yield "boxes with braces, never closed", "\\boxed{{}" * 22_000
    yield "an answer never closed", "<answer>" + "8" * LONG
    yield "bare parentheses", "(" * LONG
    yield "bare digits", "9" * LONG
