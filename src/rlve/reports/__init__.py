"""Pages and figures of runs, evaluations, comparisons and studies, in one style.

draw(Path("runs/nano"))       the report of whatever is in a folder, also while it is being made

Each subject has a module: training, teaching, evaluation, comparison, simulation, experiments.
Their pictures are beside them; what all share is in pages.py and figures.py, and tables for a
terminal are in terminal.py.
"""

from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

from rlve.errors import UserError
from rlve.files import read_record


class FolderReport(Protocol):
    """What the modules do whose subject is a folder."""

    def write_report(self, folder: Path) -> Path:
        """Draw the report into the folder."""
        ...

    def tell(self, folder: Path) -> str:
        """What the report says, in a few sentences."""
        ...


class FolderKind(NamedTuple):
    """Something that has a folder, and the settings in that folder by which it is recognised."""

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
    """Draw the report of a training run, an evaluation, a simulation or an experiment into it."""
    return _report_of(folder).write_report(folder)


def tell(folder: Path) -> str:
    """What that report says, in a few sentences."""
    return _report_of(folder).tell(folder)


def _report_of(folder: Path) -> FolderReport:
    # Imported when it is needed: the others may need what is not installed.
    return cast(FolderReport, import_module(f"rlve.reports.{recognise(folder).module}"))


def recognise(folder: Path) -> FolderKind:
    """What a folder is; a UserError if it is none of them, or several."""
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder}")
    found = [kind for kind in KINDS if _is(kind, _settings(folder / kind.file))]
    if len(found) == 1:
        return found[0]
    if found:
        raise UserError(
            f"{folder} is the folder of {' and of '.join(kind.name for kind in found)}: "
            "which of their reports is meant cannot be told"
        )
    *names, last = (kind.name for kind in KINDS)
    raise UserError(f"{folder} is not the folder of {', '.join(names)} or {last}")


def _is(kind: FolderKind, settings: set[str]) -> bool:
    return kind.settings <= settings and not kind.lacks & settings


def _settings(path: Path) -> set[str]:
    return set(read_record(path, dict[str, Any], missing="")) if path.exists() else set()
