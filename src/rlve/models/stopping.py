"""Texts that end an output, for models without a token of their own to end it with."""

# transformers leaves many of its types unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from collections.abc import Callable, Sequence
from typing import Any

MARGIN = 8  # tokens before those that can hold a text: half a character may stand there


class StopStrings:
    """Finds the token with which an output ends.

    An output ends with the first token after which its text contains one of the strings. They may
    begin and end in the middle of tokens. Only the last tokens are looked at: each has at least one
    byte of the text.

    decode   gives the text of some tokens, to which more tokens only add
    """

    def __init__(self, strings: Sequence[str], decode: Callable[[list[int]], str]) -> None:
        self.strings = tuple(strings)
        self._decode = decode
        self._tail = max(len(text.encode()) for text in strings) + MARGIN

    def end(self, tokens: Sequence[int], known: int = 0) -> int | None:
        """How many tokens the output has when it ends; the first `known` do not end it."""
        if not self._found(tokens, known + 1, len(tokens)):
            return None
        ends = (at for at in range(known + 1, len(tokens) + 1) if self._found(tokens, at, at))
        return next(ends, None)

    def _found(self, tokens: Sequence[int], first: int, last: int) -> bool:
        """Whether a string ends with one of the tokens from the first to the last of these."""
        text = self._decode(list(tokens[max(0, first - self._tail) : last]))
        return any(string in text for string in self.strings)


def stop_strings(tokenizer: Any, strings: Sequence[str]) -> StopStrings | None:
    """What finds these strings in a tokenizer's tokens; None if there are none.

    Special tokens count with their text, so that <|im_end|>, say, can end an output.
    """

    def decode(tokens: list[int]) -> str:
        return tokenizer.decode(
            tokens, skip_special_tokens=False, clean_up_tokenization_spaces=False
        )

    return StopStrings(strings, decode) if strings else None
