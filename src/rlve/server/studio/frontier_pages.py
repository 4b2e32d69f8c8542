"""The pages of frontiers: all profiles in the folders, and one of them."""

from collections.abc import Iterator
from pathlib import Path

from rlve.errors import UserError
from rlve.evaluate.frontier.profile import FrontierProfile, is_profile, read_profile
from rlve.foundation.files import pretty
from rlve.foundation.run_folders import RESULTS, SUITE
from rlve.registry import environments
from rlve.reports import frontier as report
from rlve.server.studio.folders import NotThere
from rlve.server.studio.pages import Page


class FrontierPages(Page):
    """Pages below /frontiers."""

    def frontiers(self) -> str:
        """All profiles: those of measurements, and those copied into the given folders."""
        profiles: list[tuple[str, FrontierProfile]] = []
        left_out: list[str] = []
        for name, path in self.frontier_files():
            try:
                profiles.append((name, read_profile(path)))
            except UserError as error:
                left_out.append(f"{name}: {error}")
        profiles.sort(key=lambda each: -each[1].frontier.value)
        return self.render(
            "frontiers.html",
            part="frontiers",
            profiles=profiles,
            left_out=left_out,
            folders=self.studio.given,
        )

    def frontier(self, name: str) -> str:
        """One profile, by family and environment."""
        path = dict(self.frontier_files()).get(name)
        if path is None:
            raise NotThere(f"there is no frontier {name!r} in the folders of this studio")
        profile = read_profile(path)
        found = [each.frontier for each in profile.environments.values()]
        found += [each.frontier for each in profile.families.values()]
        return self.render(
            "frontier.html",
            part="frontiers",
            name=name,
            profile=profile,
            headline=report.headline(profile),
            numbers={
                "frontier": f"{profile.frontier.value:.2f}",
                "read forgivingly": f"{profile.forgiving.value:.2f}",
                "outputs": f"{profile.outputs:,}",
                "tokens sampled": "unknown" if profile.tokens is None else f"{profile.tokens:,}",
                "seed": str(profile.seed),
            },
            end=max((each.interval[1] for each in found), default=1.0) or 1.0,
            families=sorted(profile.families.items(), key=lambda x: -x[1].frontier.value),
            environments=sorted(profile.environments.items(), key=lambda x: -x[1].frontier.value),
            known=set(environments()),
            asked=self._has_questions(name),
            value=report.value,
            note=report.note,
            plan_text=pretty(profile.plan).decode(),
        )

    def _has_questions(self, name: str) -> bool:
        """Whether the outputs behind a profile are here; a profile alone is a file."""
        measured = self.studio.folders.all("frontier")
        return any(each.id == name and each.file(SUITE).exists() for each in measured)

    def frontier_files(self) -> Iterator[tuple[str, Path]]:
        """The names of all profiles, and where they are."""
        for found in self.studio.folders.all("frontier"):
            yield found.id, found.file(RESULTS)
        for root in self.studio.folders.roots:
            for path in sorted(root.glob("*.json")):
                if not path.is_symlink() and is_profile(path) and path.name != RESULTS:
                    yield path.name, path
