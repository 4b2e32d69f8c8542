"""What runs, evaluations and comparisons say, in words and tables, and what terminals show.

tell(Path("runs/nano"))       what is in a folder, in a few sentences, even if it is still growing

Each subject has a module: training, teaching, evaluation, frontier, comparison. pages.py holds
what their texts share, and terminal.py prints tables on a terminal. rlve.server.studio has the
pages.
"""

from importlib import import_module
from pathlib import Path

from rlve.foundation.run_folders import run_kind

REPORTS = {
    "train": "training",
    "teach": "teaching",
    "eval": "evaluation",
    "frontier": "frontier",
}
"""The module that reports on each kind of run, with a function `tell`."""


def tell(folder: Path) -> str:
    """What is in a folder, in a few sentences."""
    # Imported only when needed: the others may need packages that are not installed.
    report = import_module(f"rlve.reports.{REPORTS[run_kind(folder).name]}")
    return str(report.tell(folder))
