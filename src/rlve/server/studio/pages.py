"""Templates, and links between pages."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import msgspec
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from rlve import __version__
from rlve.answers import Marker
from rlve.contract import Problem
from rlve.errors import UserError
from rlve.pool import Failure
from rlve.pool import Request as ProblemRequest
from rlve.server.studio import svg
from rlve.server.studio.runs import lead
from rlve.server.studio.safe_text import harmless
from rlve.server.studio.state import Studio
from rlve.text import quantity

HERE = Path(__file__).parent
STATIC = HERE / "static"


class Links:
    """Links to pages on the server, under /; a saved page stands alone and has none."""

    def __init__(self, *, saved: bool = False) -> None:
        self.saved = saved

    def page(self, *parts: str, **query: object) -> str:
        """The link to a page, with a query."""
        return self.query("/" + "/".join(quote(part, safe="") for part in parts), **query)

    def query(self, path: str, **query: object) -> str:
        """A link with a query, from which what is empty is left out."""
        asked = urlencode(
            {key: value for key, value in query.items() if value not in (None, "")}, doseq=True
        )
        return f"{path}?{asked}" if asked else path

    def inline(self, *names: str) -> Markup:
        """Static files for a page that stands alone."""
        return Markup("\n".join((STATIC / name).read_text() for name in names))  # noqa: S704

    def static(self, name: str) -> str:
        """The link to a static file; it changes with the version, so no old copy is used."""
        return f"/static/{name}?{__version__}"


def embed(value: object) -> Markup:
    """JSON for a script element, in which no tag can begin or end."""
    return htmlsafe_json_dumps(value, dumps=_json)


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _percent(value: float | None, digits: int = 0) -> str:
    return "-" if value is None else f"{value:.{digits}%}"


def _number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _reward(value: float) -> str:
    """To three decimals; a reward that is smaller than that, but not zero, says so."""
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    if text in ("0", "-0"):
        return "0" if value == 0 else "<0.001" if value > 0 else ">-0.001"
    return text


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).strftime("%-d %b %Y, %H:%M")


FILTERS: dict[str, Any] = {
    "harmless": harmless,
    "percent": _percent,
    "number": _number,
    "reward": _reward,
    "count": quantity,
    "json": embed,
    "day": _day,
    "svg": svg.draw_all,
    "lead": lead,
}


@cache
def _templates() -> Environment:
    templates = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters.update(FILTERS)
    return templates


def render(template: str, links: Links, /, **values: Any) -> str:
    """A page, or a part of one."""
    values |= {"links": links, "saved": links.saved, "version": __version__}
    return _templates().get_template(template).render(**values)


class Place(NamedTuple):
    """Where a row is in the table that one came from: its neighbours, and how many there are."""

    number: int
    total: int
    previous: int | None
    next: int | None


def place_in(numbers: Sequence[int], number: int) -> Place | None:
    """The place of a row among the numbers of all; None if it is not in the table."""
    if number not in numbers:
        return None
    at = numbers.index(number)
    following = numbers[at + 1] if at + 1 < len(numbers) else None
    return Place(at + 1, len(numbers), numbers[at - 1] if at else None, following)


class Page:
    """What all pages have: the studio that they show, links, templates."""

    def __init__(self, studio: Studio, links: Links) -> None:
        self.studio = studio
        self.links = links

    def render(self, template: str, /, **values: Any) -> str:
        """A page, or a part of one."""
        return render(template, self.links, **values)

    def portion(
        self, rows: Sequence[Any], offset: int, size: int, page: str, part: str, **query: object
    ) -> dict[str, Any]:
        """Some rows of a table, where the page with them is, and the link to more of them."""
        offset = max(0, offset)
        following = offset + size
        more = self.links.query(part, **query, offset=following)
        return {
            "shown": rows[offset:following],
            "offset": offset,
            "total": len(rows),
            "url": self.links.query(page, **query),
            "more": more if following < len(rows) else None,
        }

    def render_reason(
        self,
        problem: Problem | ProblemRequest,
        output: str,
        marker: Marker,
        reward: float | None = None,
    ) -> str:
        """Why an output gets its verdict, and whether that is the reward it got."""
        (found,) = self.studio.pool.explain([(problem, output)], marker=marker)
        if isinstance(found, Failure):
            raise UserError(f"it could not be judged again ({found.kind}): {found.message}")
        same = reward is None or abs(found.reward - reward) < 1e-6
        return self.render("reason.html", found=found, same=same)

    def message(self, title: str, text: str) -> str:
        """A page with a message."""
        return self.render("message.html", part="", title=title, text=text)
