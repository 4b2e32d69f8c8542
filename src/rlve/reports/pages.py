"""What all our pages share: how they are written, and the words they are made of.

A page is one HTML file that needs no other: its style and its pictures are inside. The texts are
templates, in templates/; whatever is filled into a page is escaped.
"""

from base64 import b64encode
from collections.abc import Iterable, Sequence
from functools import cache
from json import dumps
from pathlib import Path
from shlex import quote
from typing import Any, Literal, NamedTuple, TypeAlias

from rlve.contract import Verdict
from rlve.datasets.outputs import StoredVerdict
from rlve.files import pretty, write_whole
from rlve.run_folders import REPORT
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
        "share": "{:.1%}".format,
        "percent": "{:.0%}".format,
        "number": quantity,
        "duration": duration,
        "words": join_words,
        "shorten": shorten,
        "judged": verdict_words,
        "base64": lambda png: b64encode(png).decode(),
        "json": dumps,
        "quote": quote,
        "indented": lambda record: dumps(record, indent=2),
        "pretty": lambda record: pretty(record).decode().rstrip(),
    }
    return made


def write_page(folder: Path, page: str, **others: bytes) -> Path:
    """Write the report of a folder into it, with other files, by their stems, beside it."""
    report = folder / REPORT
    for name, picture in others.items():
        write_whole(folder / f"{name}.png", picture)
    write_whole(report, page.encode("utf-8", "replace"))
    return report


def verdict_word(verdict: Verdict | StoredVerdict) -> VerdictWord:
    """A verdict in a word."""
    return "correct" if verdict.correct else "wrong" if verdict.well_formed else "ill-formed"


def verdict_words(verdict: Verdict | StoredVerdict) -> str:
    """For example: wrong, reward 0.25."""
    return f"{verdict_word(verdict)}, reward {verdict.reward:.2g}"


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
