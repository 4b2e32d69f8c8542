"""Answers that look like a correct one but are mostly wrong."""

import re
from collections.abc import Iterator

from rlve.rules.subject import spread

NUMBERS = 8  # how many numbers of a long answer to change, one at a time

_DIGIT = re.compile(r"[0-9]")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?[0-9]*\.?[0-9]+")


def mutants(text: str) -> list[str]:
    """Changed copies of an answer text, all different from it and from each other."""
    changed: dict[str, None] = {}
    for mutate in (_digits, _numbers, _tokens, _rows, _letters):
        for mutant in mutate(text):
            if mutant.strip() != text.strip():
                changed.setdefault(mutant)
    return list(changed)


def _digits(text: str) -> Iterator[str]:
    """One digit changed: the first, one in the middle, the last."""
    digits = [digit.start() for digit in _DIGIT.finditer(text)]
    for i in spread(digits, 3):
        for step in (1, 5):
            digit = (int(text[i]) + step) % 10
            yield f"{text[:i]}{digit}{text[i + 1 :]}"


def _numbers(text: str) -> Iterator[str]:
    """One number increased or decreased by one, negated, or made a digit longer."""
    for number in spread(list(_NUMBER.finditer(text)), NUMBERS):
        word, before, after = number[0], text[: number.start()], text[number.end() :]
        negated = word[1:] if word[0] == "-" else "-" + word.lstrip("+")
        changed = [negated, word + "0", "1" + word.lstrip("+-")]
        if _INTEGER.fullmatch(word) and len(word) <= 4_000:
            changed += [str(int(word) + step) for step in (1, -1)]
        yield from (before + other + after for other in changed)


def _tokens(text: str) -> Iterator[str]:
    """Tokens dropped, doubled, swapped, reversed, rotated, added, or cut to the first half."""
    rows = [line.split() for line in text.splitlines() if line.strip()]
    for row in spread(list(range(len(rows))), 3):
        for tokens in _rearranged(rows[row]):
            changed = [*rows[:row], tokens, *rows[row + 1 :]]
            yield "\n".join(" ".join(words) for words in changed if words)


def _rearranged(tokens: list[str]) -> Iterator[list[str]]:
    last, middle = len(tokens) - 1, len(tokens) // 2
    yield [*tokens, "0"]
    for i in sorted({0, middle, last}):
        yield [*tokens[: i + 1], *tokens[i:]]  # doubled
        yield [*tokens[:i], *tokens[i + 1 :]]  # dropped
    if last > 0:
        yield tokens[::-1]
        yield [*tokens[1:], tokens[0]]
        yield tokens[:middle]
        for i in sorted({0, middle - 1, last - 1}):
            yield [*tokens[:i], tokens[i + 1], tokens[i], *tokens[i + 2 :]]


def _rows(text: str) -> Iterator[str]:
    """Lines rearranged in the same ways, and everything on one line."""
    rows = [line for line in text.splitlines() if line.strip()]
    if len(rows) > 1:
        yield from ("\n".join(lines) for lines in _rearranged(rows))
        yield " ".join(rows)


def _letters(text: str) -> Iterator[str]:
    """The text with a character dropped or doubled, reversed, in another case, or twice."""
    if text:
        yield from (text[1:], text[:-1], text[: len(text) // 2])
        yield from (text + text[-1], text[::-1], text.swapcase())
        yield from (f"{text} {text}", f"{text}\n{text}")
    yield ""
