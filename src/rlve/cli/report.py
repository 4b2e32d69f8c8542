"""`rlve report`."""

from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from rlve.reports.training import headline, write_report
from rlve.train.history import read_history


def run(
    folder: Annotated[Positional[Path], arg(metavar="RUN", help_behavior_hint="")],
    /,
) -> None:
    """Draw the report of a training run, also while it goes on.

    It is written to report.html in the folder of the run: one file, with its pictures inside.

    Args:
        folder: The folder of the run.
    """
    place = write_report(folder)
    print(headline(read_history(folder)))
    print(f"Wrote {place}")
