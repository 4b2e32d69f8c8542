"""Answers that look like a correct one, and mostly are not."""

import re
from collections.abc import Iterator
from typing import TypeVar

T = TypeVar("T")

_DIGIT = re.compile(r"[0-9]")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?[0-9]*\.?[0-9]+")


def mutants(text: str) -> list[str]:
    """Changed copies of an answer text, each different from it and from the others."""
    found: dict[str, None] = {}
    for mutate in (_digits, _numbers, _tokens, _rows, _letters):
        for mutant in mutate(text):
            if mutant.strip() != text.strip():
                found.setdefault(mutant)
    return list(found)


def _digits(text: str) -> Iterator[str]:
    """One digit changed: the first, one in the middle, the last."""
    places = [digit.start() for digit in _DIGIT.finditer(text)]
    for place in _ends_and_middle(places):
        for step in (1, 5):
            digit = (int(text[place]) + step) % 10
            yield f"{text[:place]}{digit}{text[place + 1 :]}"


def _numbers(text: str) -> Iterator[str]:
    """One number made larger or smaller by one, negated, or longer by a digit."""
    for number in _ends_and_middle(list(_NUMBER.finditer(text))):
        word, before, after = number[0], text[: number.start()], text[number.end() :]
        negated = word[1:] if word[0] == "-" else "-" + word.lstrip("+")
        changed = [negated, word + "0", "1" + word.lstrip("+-")]
        if _INTEGER.fullmatch(word) and len(word) <= 4_000:
            changed += [str(int(word) + step) for step in (1, -1)]
        yield from (before + other + after for other in changed)


def _tokens(text: str) -> Iterator[str]:
    """Tokens dropped, doubled, swapped, reversed, rotated, added."""
    rows = [line.split() for line in text.splitlines() if line.strip()]
    for row in _ends_and_middle(list(range(len(rows)))):
        for tokens in _rearranged(rows[row]):
            yield _join([*rows[:row], tokens, *rows[row + 1 :]])


def _rearranged(tokens: list[str]) -> Iterator[list[str]]:
    yield [*tokens, "0"]
    yield [*tokens, tokens[-1]]
    yield [tokens[0], *tokens]
    yield tokens[1:]
    yield tokens[:-1]
    if len(tokens) > 1:
        yield tokens[::-1]
        yield [*tokens[1:], tokens[0]]
        yield [tokens[1], tokens[0], *tokens[2:]]
        yield [*tokens[:-2], tokens[-1], tokens[-2]]


def _rows(text: str) -> Iterator[str]:
    """The same with whole lines, and everything on one line."""
    rows = [line for line in text.splitlines() if line.strip()]
    if len(rows) > 1:
        yield from ("\n".join(lines) for lines in _rearranged(rows))
        yield " ".join(rows)


def _letters(text: str) -> Iterator[str]:
    """The text with a character dropped or doubled, reversed, in another case, or twice."""
    if text:
        yield from (text[1:], text[:-1], text + text[-1], text[::-1], text.swapcase())
        yield from (f"{text} {text}", f"{text}\n{text}")
    yield ""


def _join(rows: list[list[str]]) -> str:
    return "\n".join(" ".join(row) for row in rows if row)


def _ends_and_middle(items: list[T]) -> list[T]:
    return [items[i] for i in sorted({0, len(items) // 2, len(items) - 1})] if items else []
