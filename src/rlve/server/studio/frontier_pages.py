"""The page of frontiers: the leaderboard of the profiles in the folders."""

from collections.abc import Iterator
from pathlib import Path

from markupsafe import Markup

from rlve.errors import UserError
from rlve.evaluate.frontier.profile import FrontierProfile, is_profile, read_profile
from rlve.reports import leaderboard
from rlve.run_folders import RESULTS
from rlve.server.studio.pages import SORTABLE, Page


class FrontierPages(Page):
    """The page /frontiers."""

    def frontiers(self) -> str:
        """All profiles: those of measurements, and those copied into the given folders."""
        profiles: list[FrontierProfile] = []
        left_out: list[str] = []
        for name, path in self._places():
            try:
                profiles.append(read_profile(path))
            except UserError as error:
                left_out.append(f"{name}: {error}")
        profiles.sort(key=lambda profile: -profile.frontier.value)
        table = leaderboard.table(profiles) if profiles else ""
        return self.render(
            "frontiers.html",
            part="frontiers",
            sortable=SORTABLE,
            title=leaderboard.TITLE,
            table=Markup(table),  # noqa: S704  it escapes what it shows
            left_out=left_out,
            folders=self.studio.given,
        )

    def _places(self) -> Iterator[tuple[str, Path]]:
        for found in self.studio.folders.all("frontier"):
            yield found.name, found.file(RESULTS)
        for root in self.studio.folders.roots:
            for path in sorted(root.glob("*.json")):
                if not path.is_symlink() and is_profile(path) and path.name != RESULTS:
                    yield path.name, path
