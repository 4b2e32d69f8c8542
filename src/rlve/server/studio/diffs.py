"""Two texts side by side: what they share, and what only one of them has."""

import re
from difflib import SequenceMatcher
from typing import Final, NamedTuple

MOST: Final = 2_000  # words; longer texts are compared line by line,
LINES: Final = 4_000  # and of still longer ones the rest is not compared

_WORDS = re.compile(r"\s+|\w+|[^\w\s]")


class Piece(NamedTuple):
    """A stretch of one of the texts."""

    text: str
    same: bool


def compare(left: str, right: str) -> tuple[list[Piece], list[Piece]]:
    """Both texts in pieces: those they share, and those they do not."""
    parts = [_WORDS.findall(text) for text in (left, right)]
    if max(map(len, parts)) > MOST:
        parts = [text.splitlines(keepends=True) for text in (left, right)]
    one, two = (part[:LINES] for part in parts)
    pieces: tuple[list[Piece], list[Piece]] = [], []
    for tag, a, b, c, d in SequenceMatcher(None, one, two, autojunk=False).get_opcodes():
        for found, text in zip(pieces, ("".join(one[a:b]), "".join(two[c:d])), strict=True):
            if text:
                found.append(Piece(text, tag == "equal"))
    for found, part in zip(pieces, parts, strict=True):
        if rest := "".join(part[LINES:]):
            found.append(Piece(rest, same=False))
    return pieces
