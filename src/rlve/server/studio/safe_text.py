"""Model output, made safe to show.

HTML is escaped by the templates. This module handles everything else that could mislead a reader
or their machine: terminal codes, other control characters, marks that reverse the direction of
text, half surrogate pairs, and texts that are too long for a page.
"""

import re
from typing import Final

from rlve.reports.pages import shorten

LONGEST: Final = 20_000  # most characters of a text on a page

_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
)


def harmless(text: str, longest: int = LONGEST) -> str:
    """The text with visible signs for invisible characters, and its middle cut out if too long."""
    return _CONTROL.sub(_sign, shorten(text, longest).replace("\r\n", "\n"))


def _sign(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)  # for example the symbol for escape
    if code == 0x7F:
        return "\u2421"
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"[U+{code:04X}]"
