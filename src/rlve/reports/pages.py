"""What our texts share: how they are filled in, and the words they are made of.

The texts are templates, in templates/; whatever is filled into one of HTML is escaped.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from json import dumps
from pathlib import Path
from shlex import quote
from typing import Any, Literal, NamedTuple, TypeAlias

from rlve.contract import Verdict
from rlve.datasets.outputs import StoredVerdict
from rlve.text import quantity

VerdictWord: TypeAlias = Literal["correct", "wrong", "ill-formed"]


class Rows(NamedTuple):
    """A table of texts."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]


def render(template: str, **values: Any) -> str:
    """A template of ours, filled in."""
    return templates().get_template(template).render(**values)


@cache
def templates() -> Any:
    """Our templates, and how they write values."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

    made: Any = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {
        "n": "{:,}".format,
        "g": "{:g}".format,
        "percent": "{:.0%}".format,
        "number": quantity,
        "json": dumps,
        "quote": quote,
        "python": repr,
    }
    return made


def verdict_word(verdict: Verdict | StoredVerdict) -> VerdictWord:
    """A verdict in a word."""
    return "correct" if verdict.correct else "wrong" if verdict.well_formed else "ill-formed"


def duration(seconds: float) -> str:
    """For example: 42 s, 4 min 51 s, 2 h 5 min."""
    rounded = round(seconds)
    if rounded < 60:
        return f"{rounded} s"
    if rounded < 3600:
        return f"{rounded // 60} min {rounded % 60} s"
    return f"{rounded // 3600:,} h {rounded % 3600 // 60} min"


def join_words(parts: Iterable[str]) -> str:
    """For example: "a", "a and b", "a, b and c"; an empty string if there are none."""
    texts = list(parts)
    return " and ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))


def shorten(text: str, longest: int = 3_000) -> str:
    """The beginning and the end of a long text."""
    if len(text) <= longest:
        return text
    half = longest // 2
    left_out = len(text) - 2 * half
    return f"{text[:half]}\n[... {left_out:,} characters left out ...]\n{text[-half:]}"
