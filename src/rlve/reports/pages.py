"""What all our pages share: one style, and the pieces they are made of.

A page is one HTML file that needs no other: its style and its pictures are inside.
"""

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from html import escape

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff;
       max-width: 72rem; margin: 2rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.6rem; margin-bottom: 0.25rem; }
h2 { font-size: 1.2rem; margin-top: 2.25rem; }
p { max-width: 48rem; }
img { max-width: 100%; height: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.3rem 0.9rem 0.3rem 0; text-align: right; border-bottom: 1px solid #ddd; }
th { border-bottom: 2px solid #333; vertical-align: bottom; font-weight: 600; }
th:first-child, td:first-child { text-align: left; }
.wide { overflow-x: auto; }
pre { background: #f6f6f6; padding: 0.75rem; }
.headline { font-size: 1.35rem; line-height: 1.4; max-width: 56rem; margin: 0.75rem 0 1.5rem; }
.place { color: #666; margin: 0; }
.numbers { display: flex; flex-wrap: wrap; gap: 0.75rem 2.5rem; margin: 0 0 1.5rem; padding: 0; }
.numbers div { min-width: 6rem; }
.numbers dd { margin: 0; font-size: 1.5rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.numbers dt { color: #666; font-size: 0.85rem; }
.samples { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(30rem, 100%), 1fr));
           gap: 1.25rem; }
.sample { border: 1px solid #ddd; border-radius: 0.5rem; padding: 0.9rem 1.1rem; min-width: 0; }
.sample h3 { margin: 0 0 0.5rem; font-size: 1rem; }
.sample h3 span { color: #666; font-weight: 400; }
.sample pre { white-space: pre-wrap; overflow-wrap: anywhere; overflow: auto; max-height: 16rem;
              margin: 0.25rem 0 0.75rem; padding: 0.6rem 0.75rem; border-radius: 0.3rem;
              font-size: 0.82rem; line-height: 1.4; }
.sample .what { font-size: 0.85rem; color: #444; }
.right { background: #e4f3ee; } .wrong { background: #fbe9df; }
.badge { border-radius: 0.3rem; padding: 0.05rem 0.45rem; font-size: 0.8rem; font-weight: 600; }
.badge.right { color: #00593f; } .badge.wrong { color: #8a3b00; }
"""


def document(title: str, body: Iterable[str], *, style: str = "") -> str:
    """The full page; `body` is HTML, the title is text, and `style` is added to the common one."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}{style}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def table(headings: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; all cells are escaped."""
    head = "".join(f"<th>{escape(text)}</th>" for text in headings)
    lines = ("".join(f"<td>{escape(text)}</td>" for text in row) for row in rows)
    body = "\n".join(f"<tr>{line}</tr>" for line in lines)
    return f'<div class="wide"><table>\n<tr>{head}</tr>\n{body}\n</table></div>'


def numbers(shown: Mapping[str, str]) -> str:
    """A few large numbers in a row, with their names."""
    cells = "".join(f"<div><dd>{value}</dd><dt>{name}</dt></div>" for name, value in shown.items())
    return f'<dl class="numbers">{cells}</dl>'


def details(summary: str, content: str) -> str:
    """Content (HTML) that is shown on request."""
    return f"<details><summary>{summary}</summary>{content}</details>"


def show_output(what: str, output: str, verdict: str, *, right: bool) -> str:
    """An output of a model, with its verdict."""
    kind = "right" if right else "wrong"
    return (
        f'<div class="what">{what} <span class="badge {kind}">{verdict}</span></div>'
        f'<pre class="{kind}">{escape(shorten(output)) or "(nothing)"}</pre>'
    )


def picture(png: bytes, text: str) -> str:
    """A PNG file, inside the page."""
    return f'<img alt="{escape(text)}" src="data:image/png;base64,{b64encode(png).decode()}">'


def count(number: int, what: str) -> str:
    """For example: 1 step, 2 steps."""
    return f"{number:,} {what}" + ("" if number == 1 else "s")


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
