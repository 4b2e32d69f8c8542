"""The pages of simulations and experiments."""

import json
from typing import Any

from rlve.run_folders import KINDS
from rlve.server.studio.pages import Page


class StudyPages(Page):
    """Pages below /studies."""

    def studies(self) -> str:
        found = self.studio.folders.all("simulate", "experiment")
        rows: list[dict[str, Any]] = [
            {"found": each, "what": KINDS[each.kind].what.partition(" ")[2]} for each in found
        ]
        folders = self.studio.given
        return self.render("studies.html", part="studies", rows=rows, folders=folders)

    def study(self, name: str) -> str:
        """A simulation or an experiment."""
        found = self.studio.folders.find(name, "simulate", "experiment")
        study = self.studio.studies.open(found)
        runs = {each.folder: each.id for each in self.studio.folders.all("train")}
        cells = [(cell, runs.get(found.folder / cell)) for cell in study.cells]
        return self.render(
            "study.html",
            part="studies",
            study=study,
            cells=cells,
            settings=json.dumps(study.settings, indent=2),
            findings=self.studio.studies.findings(study) if self.links.exported else None,
        )

    def findings(self, name: str) -> str:
        """What a simulation or an experiment found: a part of a page."""
        found = self.studio.folders.find(name, "simulate", "experiment")
        findings = self.studio.studies.findings(self.studio.studies.open(found))
        return self.render("findings.html", findings=findings)
