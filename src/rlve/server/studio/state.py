"""What the pages are made from: folders, a pool of workers, and what has been read and measured."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import NamedTuple

from rlve.errors import UserError
from rlve.pool import Pool
from rlve.server.studio import runs
from rlve.server.studio.charts import Chart, Share, Shares, accuracy_over_levels, mean_share
from rlve.server.studio.evaluations import EvaluationBook, EvaluationFolder
from rlve.server.studio.folders import RUNS, Folders, Found
from rlve.server.studio.runs import RunBook, RunFolder

COLOURS = 12  # in the palette of static/studio.css
CURVES = 8  # most in a chart of what runs and evaluations measured


class Measured(NamedTuple):
    """What a run or an evaluation measured at the levels of one environment."""

    found: Found
    name: str
    before: Shares | None
    after: Shares

    @property
    def was(self) -> Share | None:
        """Accuracy over all levels before training."""
        return None if self.before is None else mean_share(self.before[1].values())

    @property
    def now(self) -> Share:
        return mean_share(self.after[1].values())


class Studio:
    """Everything that the pages show."""

    def __init__(self, folders: Folders, pool: Pool, given: Iterable[str] = ()) -> None:
        self.folders = folders
        self.pool = pool
        self.given = list(given)  # the folders as the user wrote them
        self.runs = RunBook()
        self.evaluations = EvaluationBook()

    def run(self, name: str) -> RunFolder:
        """The run with that id."""
        return self.runs.open(self.folders.find(name, *RUNS))

    def evaluation(self, name: str) -> EvaluationFolder:
        """The evaluation with that id, or the questions behind a frontier."""
        return self.evaluations.open(self.folders.find(name, "eval", "frontier"))

    def colours(self, found: Sequence[Found]) -> dict[str, int]:
        """A colour for each run: its own wherever it stands, unless an earlier one here has it."""
        taken: dict[str, int] = {}
        for each in found:
            colour = self.folders.rank(each) % COLOURS
            while colour in taken.values() and len(taken) < COLOURS:
                colour = (colour + 1) % COLOURS
            taken[each.id] = colour
        return taken

    def find_measurements(self, name: str) -> list[Measured]:
        """What runs and evaluations have measured in one environment, the latest first."""
        everything: list[Measured] = []
        for found in self.folders.all("eval", *RUNS):
            with suppress(UserError):  # a broken folder, which its own page reports
                if found.kind == "eval":
                    evaluation = self.evaluations.open(found)
                    if levels := evaluation.by_level.get(name):
                        curve = evaluation.label, levels
                        everything.append(Measured(found, evaluation.label, None, curve))
                elif curves := runs.accuracy_by_level(self.runs.open(found), name):
                    before = curves[0] if len(curves) > 1 else None
                    everything.append(Measured(found, found.name, before, curves[-1]))
        return everything

    def accuracy(self, measured: Sequence[Measured]) -> Chart | None:
        """The accuracy of the latest runs and evaluations by difficulty."""
        shown = measured[:CURVES]
        curves = [each.after for each in shown]
        colours = list(self.colours([each.found for each in shown]).values())
        if len(measured) == 1 and measured[0].before:
            curves = [measured[0].before, *curves]
            colours = [colours[0] + 1, *colours]
        note = f"The latest {CURVES} of {len(measured):,}; the table has all."
        if not curves:
            return None
        return accuracy_over_levels(
            "Accuracy", curves, colours, note=note if len(measured) > CURVES else ""
        )
