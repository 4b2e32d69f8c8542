"""Pages and figures of runs, evaluations, comparisons and studies, in one style.

draw(Path("runs/nano"))       the report of whatever is in a folder, even if it is still growing

Each subject has a module: training, teaching, evaluation, comparison, simulation, experiments.
Their pictures are beside them. pages.py and figures.py hold what all share, and terminal.py prints
tables on a terminal.
"""

from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

from rlve.errors import UserError
from rlve.files import read_record


class FolderReport(Protocol):
    """A module that reports on a folder."""

    def write_report(self, folder: Path) -> Path:
        """Write the report into the folder, and return its path."""
        ...

    def tell(self, folder: Path) -> str:
        """The report in a few sentences."""
        ...


class FolderKind(NamedTuple):
    """A kind of folder, and the settings in it by which it is recognised."""

    name: str
    file: str
    settings: frozenset[str]
    module: str
    lacks: frozenset[str] = frozenset()  # settings of something else


KINDS = (
    FolderKind(
        "a training run", "config.json", frozenset({"policy", "data", "rollout"}), "training"
    ),
    FolderKind(
        "a run of teaching",
        "config.json",
        frozenset({"policy", "data", "update"}),
        "teaching",
        frozenset({"rollout"}),
    ),
    FolderKind(
        "a simulation", "config.json", frozenset({"policy", "names", "settings"}), "simulation"
    ),
    FolderKind(
        "an evaluation", "plan.json", frozenset({"suite", "model", "sampling"}), "evaluation"
    ),
    FolderKind(
        "an experiment", "plan.json", frozenset({"study", "training", "test"}), "experiments"
    ),
)


def draw(folder: Path) -> Path:
    """Write the report of the run, evaluation, simulation or experiment in a folder into it."""
    return _report_of(folder).write_report(folder)


def tell(folder: Path) -> str:
    """That report in a few sentences."""
    return _report_of(folder).tell(folder)


def _report_of(folder: Path) -> FolderReport:
    # Imported only when needed: the others may need packages that are not installed.
    return cast(FolderReport, import_module(f"rlve.reports.{recognise(folder).module}"))


def recognise(folder: Path) -> FolderKind:
    """What a folder is; a UserError if it is none of them, or several."""
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder}")
    matching = [kind for kind in KINDS if _is(kind, _settings(folder / kind.file))]
    if len(matching) == 1:
        return matching[0]
    if matching:
        raise UserError(
            f"{folder} is the folder of {' and of '.join(kind.name for kind in matching)}, so it "
            "is not clear which report to write; move one of them to another folder"
        )
    *names, last = (kind.name for kind in KINDS)
    raise UserError(f"{folder} is not the folder of {', '.join(names)} or {last}")


def _is(kind: FolderKind, settings: set[str]) -> bool:
    return kind.settings <= settings and not kind.lacks & settings


def _settings(path: Path) -> set[str]:
    return set(read_record(path, dict[str, Any], missing="")) if path.exists() else set()
