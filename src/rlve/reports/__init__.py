"""Pages and figures of runs, evaluations, comparisons and studies, in one style.

draw(Path("runs/nano"))       the report of whatever is in a folder, even if it is still growing

Each subject has a module: training, teaching, evaluation, frontier, comparison, simulation,
experiments.
Their pictures are in figures/. pages.py holds what all pages share, and terminal.py prints tables
on a terminal.
"""

from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from rlve.run_folders import run_kind


class FolderReport(Protocol):
    """A module that reports on a folder."""

    def write_report(self, folder: Path) -> Path:
        """Write the report into the folder, and return its path."""
        ...

    def tell(self, folder: Path) -> str:
        """The report in a few sentences."""
        ...


REPORTS = {
    "train": "training",
    "teach": "teaching",
    "simulate": "simulation",
    "eval": "evaluation",
    "frontier": "frontier",
    "experiment": "experiments",
}
"""The module that reports on each kind of run."""


def draw(folder: Path) -> Path:
    """Write the report of the run, evaluation, simulation or experiment in a folder into it."""
    return _report_of(folder).write_report(folder)


def tell(folder: Path) -> str:
    """That report in a few sentences."""
    return _report_of(folder).tell(folder)


def _report_of(folder: Path) -> FolderReport:
    # Imported only when needed: the others may need packages that are not installed.
    return cast(FolderReport, import_module(f"rlve.reports.{REPORTS[run_kind(folder).name]}"))
