"""Brackets, and the text outside them, in LaTeX and plain notation."""

import re
from collections.abc import Callable

from rlve.errors import Unparseable

MAX_DEPTH = 30  # of nested brackets; people need about five

TOKEN = re.compile(r"\\[A-Za-z]+|\\.|.", re.DOTALL)
OPENERS = {"(", "[", "{", "\\{", "\\lfloor", "\\lceil", "\\langle", "\\begin"}
CLOSERS = {")", "]", "}", "\\}", "\\rfloor", "\\rceil", "\\rangle", "\\end"}


def split_outside(text: str, separators: set[str]) -> tuple[list[str], list[str]]:
    """The parts between separators outside brackets, and those separators."""
    parts, depth = [""], 0
    between: list[str] = []
    for token in TOKEN.findall(text):
        depth += (token in OPENERS) - (token in CLOSERS)
        if depth == 0 and token in separators:
            between.append(token)
            parts.append("")
        else:
            parts[-1] += token
        if depth > MAX_DEPTH:
            raise Unparseable("too deeply nested")
    return parts, between


def closed_at(text: str, start: int) -> int:
    """Where the bracket opened at `start` is closed; the kinds may differ, as in (0, 1]."""
    depth = 0
    for token in TOKEN.finditer(text, start):
        depth += (token[0] in OPENERS) - (token[0] in CLOSERS)
        if depth == 0:
            return token.start()
    raise Unparseable("a bracket is never closed")


def outside_text(text: str, change: Callable[[str], str]) -> str:
    r"""Change the text outside \text{...}; names of LaTeX environments are left alone as well."""
    parts = re.split(r"(\\(?:text|begin|end)\{[^{}]*\})", text)
    return "".join(part if i % 2 else change(part) for i, part in enumerate(parts))
