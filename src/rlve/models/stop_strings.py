"""Strings that end an output, for models without a token for that."""

from collections.abc import Callable, Sequence
from typing import Any

# Tokens to decode before those that can hold a string. They may split a character, or have no text
# at all: ids that pad a vocabulary, of which a model will not sample so many within one string.
MARGIN = 8


class StopStrings:
    """Finds the token with which an output ends.

    An output ends with the first token after which its text contains one of the strings, which may
    begin and end in the middle of tokens. Only the last tokens are searched, since all but a few
    have at least one byte of the text.

    decode   the text of some tokens; further tokens only add to it
    """

    def __init__(self, strings: Sequence[str], decode: Callable[[list[int]], str]) -> None:
        self.strings = tuple(strings)
        self._decode = decode
        self._tail = max(len(text.encode()) for text in strings) + MARGIN

    def end(self, tokens: Sequence[int], known: int = 0, begin: int = 0) -> int | None:
        """The length of the output when it ends; the first `known` tokens do not end it.

        What comes before `begin` belongs to earlier messages.
        """
        if not self._ends(tokens, known + 1, len(tokens), begin):
            return None
        ends = (at for at in range(known + 1, len(tokens) + 1) if self._ends(tokens, at, at, begin))
        return next(ends, None)

    def _ends(self, tokens: Sequence[int], first: int, last: int, begin: int) -> bool:
        """Whether a string ends with one of the tokens from `first` to `last`, counted from 1."""
        text = self._decode(list(tokens[max(begin, first - self._tail) : last]))
        return any(string in text for string in self.strings)


def stop_strings(tokenizer: Any, strings: Sequence[str]) -> StopStrings | None:
    """Finds these strings in a tokenizer's tokens; None if there are none.

    Special tokens count as their text, so that <|im_end|>, for example, can end an output.
    """

    def decode(tokens: list[int]) -> str:
        return tokenizer.decode(
            tokens, skip_special_tokens=False, clean_up_tokenization_spaces=False
        )

    return StopStrings(strings, decode) if strings else None
