r"""Removing the formatting that people and models put around an answer.

An answer that cannot be read as written may still say the right thing: `$42$`, `[1, 2, 3]`,
`(0, 1), (3, 4)`, a code block, a LaTeX matrix, "Answer: 42", "x = 42", 42.0, "yes" for Yes.
`rewritings` yields the few texts that such an answer can stand for. Digits, words and their order
never change: a rewriting strips something from the ends, or replaces a separator with white space,
a line break or an equivalent character. There are at most two dozen, each made in one pass.
"""

import re
from collections.abc import Iterator

from rlve.answers import closing_brace

_ROUNDS = 4  # how many nested wrappers are removed

_CHARACTERS = str.maketrans(
    {
        **dict.fromkeys("\u2212\u2013\u2010\u2011\ufe63\uff0d", "-"),
        **dict.fromkeys("\u00a0\u2009\u202f\u2007\u2002\u2003\u200a", " "),
        **dict.fromkeys("\u200b\u2060\ufeff", None),
    }
)
_FENCE = "```"
_PAIRS = (
    *(("```", "```"), ("`", "`"), ("**", "**"), ("__", "__"), ("$$", "$$"), ("$", "$")),
    *(("\\(", "\\)"), ("\\[", "\\]"), ('"', '"'), ("'", "'"), ("\u201c", "\u201d")),
)
_COMMANDS = ("\\boxed{", "\\text{", "\\texttt{", "\\mathrm{", "\\mathbf{", "\\textbf{")

_NUMBER = r"[+-]?[0-9]+(?:\.[0-9]+)?"
_JOINT = r"\\text\{\s*+and\s*+\}|\\q?quad\b|\\(?:right)?(?:arrow|to)\b|->|[~\u2192]|\band\b"
_GAP = rf"(?:[\s,;()\[\]{{}}]|\\[{{}},; ]|{_JOINT})"
_NUMBERS = re.compile(rf"{_GAP}*+{_NUMBER}(?:{_GAP}++{_NUMBER})*+{_GAP}*+")
_WORDS = re.compile(rf"\[?\s*+[\w#]++(?:\s*+(?:,|{_JOINT})\s*+[\w#]++)++\s*+\]?")
_BETWEEN_ROWS = re.compile(r"[)\]}]\s*+[,;]?\s*+(?=[(\[{])")
_SEPARATOR = re.compile(rf"\\[{{}},; ]|[,;()\[\]{{}}]|{_JOINT}")
_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}(?:(?:,|\\,|\{,\}|\\!|_|')[0-9]{3})++")
_WHOLE = re.compile(r"([+-]?[0-9]++)\.0++")
_LABEL = re.compile(r"(?:the\s++)?(?:final\s++)?answer\s*+(?:is\b\s*+:?|:|=)", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z]\w{0,15}+'?\s*+=")
_LETTERS = re.compile(r"[^\W\d_](?:[\s,]++[^\W\d_])++")
_STARS = re.compile(r"\*\*|__")
_MATRIX = re.compile(r"\\begin\{([a-zA-Z]{0,6}matrix|array)\}(?:\{[lcr| ]*+\})?")
_ROW_END = re.compile(r"\\\\|<br\s*+/?>|;|(?<=\s)/(?=\s)")
_RULE = re.compile(r"[|:\s-]++")  # the line below the head of a Markdown table
_CELL_END = re.compile(rf"[&|,]|\\[,; ]|{_JOINT}")
_CELLS = re.compile(r"(?:[\w.#*+@?-]++(?:[ \t]++|$))++")
_NOT_DIGITS = re.compile(r"[^0-9+-]")


def rewritings(text: str) -> Iterator[str]:
    """The texts an answer may stand for, without repeats and without the answer itself."""
    seen = {text}
    for rewriting in _rewritings(text):
        if rewriting not in seen:
            seen.add(rewriting)
            yield rewriting


def _rewritings(text: str) -> Iterator[str]:
    bare = _bare(text.translate(_CHARACTERS))
    said = _bare(_unlabelled(bare))
    for form in dict.fromkeys((bare, said, _bare(said.removesuffix(".")))):
        yield form
        if whole := _WHOLE.fullmatch(form):
            yield whole[1]
        yield from _grids(form)
        if _THOUSANDS.fullmatch(form):
            yield _NOT_DIGITS.sub("", form)
        yield from _lists(form)
        if form.isalpha():  # one word
            yield from (form.lower(), form.upper(), form.capitalize())


def _lists(text: str) -> Iterator[str]:
    """Lists without their commas and brackets, on one line or one row per line."""
    if _NUMBERS.fullmatch(text):
        yield _spaced(text)
        rows = _BETWEEN_ROWS.sub("\n", text)
        if rows != text:
            yield _spaced(rows)
    elif _WORDS.fullmatch(text):
        yield _spaced(text)
    if _LETTERS.fullmatch(text):  # not digits: 1 2 is not 12
        yield _spaced(text).replace(" ", "")


def _unlabelled(text: str) -> str:
    """The text after `Answer:`, in bold or not, or after the name of what was asked for."""
    plain = _STARS.sub("", text[:40]) + text[40:]
    if label := _LABEL.match(plain):
        return plain[label.end() :]
    if text.count("=") == 1 and (name := _NAME.match(text)):
        return text[name.end() :]
    return text


def _grids(text: str) -> Iterator[str]:
    """Grids with one row per line: a LaTeX matrix, a Markdown table, or other ends of rows."""
    opening = _MATRIX.match(text)
    if opening:
        closing = f"\\end{{{opening[1]}}}"
        if not text.endswith(closing):
            return
        text = text[opening.end() : -len(closing)]
    lines = _ROW_END.sub("\n", text).splitlines()
    is_table = all(line.strip().startswith("|") for line in lines if line.strip())
    if not opening and not is_table and len(lines) == text.count("\n") + 1:
        return
    rows = [_CELL_END.sub(" ", line).strip() for line in lines if not _RULE.fullmatch(line)]
    rows = [row for row in rows if row]
    if rows and all(map(_CELLS.fullmatch, rows)):
        yield "\n".join(rows)
        cells = [row.split() for row in rows]
        if all(len(cell) == 1 for row in cells for cell in row):
            yield "\n".join(map("".join, cells))


def _spaced(text: str) -> str:
    return _SEPARATOR.sub(" ", text).strip()


def _bare(text: str) -> str:
    """The text without the wrappers around it."""
    text = text.strip()
    for _ in range(_ROUNDS):
        inner = _unwrapped(text)
        if inner is None:
            break
        text = inner
    return text


def _unwrapped(text: str) -> str | None:
    if text.startswith(_FENCE) and text.endswith(_FENCE) and "\n" in text:
        language, _, block = text[: -len(_FENCE)].partition("\n")
        if not language.removeprefix(_FENCE).strip() or language[len(_FENCE) :].strip().isalpha():
            return block.rstrip().strip("\n")  # keep leading blanks: a picture can begin with them
    for opening, closing in _PAIRS:
        inner = text[len(opening) : -len(closing)]
        ends = text.startswith(opening) and text.endswith(closing)
        if ends and len(text) >= len(opening) + len(closing) and closing not in inner:
            return inner.strip()
    if text[:1] + text[-1:] in ("[]", "()", "{}") and text[1:-1].strip().isalpha():  # one word
        return text[1:-1].strip()
    for opening in _COMMANDS:
        if text.startswith(opening) and text.endswith("}"):
            inner = text[len(opening) :]
            if closing_brace(inner) == len(inner) - 1:
                return inner[:-1].strip()
    return None
