"""What all pages have: the studio that they show, links, and templates."""

from hashlib import blake2b
from typing import Any

from rlve.server.studio.pages import Links, renderer
from rlve.server.studio.state import Studio


class Page:
    """Renders templates with links to a server or to files."""

    def __init__(self, studio: Studio, links: Links) -> None:
        self.studio = studio
        self.links = links
        self._render_template = renderer(links)

    def render(self, template: str, /, **values: Any) -> str:
        """A page, or a part of one."""
        return self._render_template(template, control=self.studio.jobs is not None, **values)

    def message(self, title: str, text: str) -> str:
        """A page with a message."""
        return self.render("message.html", part="", title=title, text=text)


def stamp_of(text: str) -> str:
    """A short text that changes with a part of a page, which is sent again only then."""
    return blake2b(text.encode(errors="replace"), digest_size=8).hexdigest()
