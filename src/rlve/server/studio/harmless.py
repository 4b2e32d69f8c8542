"""What a model wrote, made fit to be shown.

HTML is escaped by the templates. Here everything else is dealt with that could mislead a reader or
their machine: terminal codes, other control characters, marks that turn the direction of text
round, halves of surrogate pairs, and texts that are too long for a page.
"""

import re
from typing import Final

LONGEST: Final = 20_000  # characters of a text on a page

_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
)


def harmless(text: str, longest: int = LONGEST) -> str:
    """The text with its beginning and its end, and signs in place of what cannot be seen."""
    if len(text) > longest:
        half = longest // 2
        left_out = len(text) - 2 * half
        return (
            f"{harmless(text[:half])}\n[... {left_out:,} characters left out ...]\n"
            f"{harmless(text[-half:])}"
        )
    return _CONTROL.sub(_sign, text.replace("\r\n", "\n"))


def _sign(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)  # such as the picture of an escape
    if code == 0x7F:
        return "\u2421"
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"[U+{code:04X}]"
