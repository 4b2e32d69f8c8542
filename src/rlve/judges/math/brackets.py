"""Brackets and what is outside of them, in LaTeX and plain notation."""

import re
from collections.abc import Callable

from rlve.errors import Unparseable

MAX_DEPTH = 30  # of nested brackets; what a person writes has five

TOKEN = re.compile(r"\\[A-Za-z]+|\\.|.", re.DOTALL)
OPENERS = {"(", "[", "{", "\\{", "\\lfloor", "\\lceil", "\\langle", "\\begin"}
CLOSERS = {")", "]", "}", "\\}", "\\rfloor", "\\rceil", "\\rangle", "\\end"}


def split_outside(text: str, separators: set[str]) -> tuple[list[str], list[str]]:
    """The parts between separators that are in no brackets, and those separators."""
    parts, depth = [""], 0
    found: list[str] = []
    for token in TOKEN.findall(text):
        depth += (token in OPENERS) - (token in CLOSERS)
        if depth == 0 and token in separators:
            found.append(token)
            parts.append("")
        else:
            parts[-1] += token
        if depth > MAX_DEPTH:
            raise Unparseable("too deeply nested")
    return parts, found


def closed_at(text: str, start: int) -> int:
    """Where the bracket that opens at start is closed; kinds may differ, as in (0, 1]."""
    depth = 0
    for token in TOKEN.finditer(text, start):
        depth += (token[0] in OPENERS) - (token[0] in CLOSERS)
        if depth == 0:
            return token.start()
    raise Unparseable("a bracket is never closed")


def outside_text(text: str, change: Callable[[str], str]) -> str:
    r"""Change what is not in a \text{...}; the name of a LaTeX environment is left alone, too."""
    parts = re.split(r"(\\(?:text|begin|end)\{[^{}]*\})", text)
    return "".join(part if i % 2 else change(part) for i, part in enumerate(parts))
