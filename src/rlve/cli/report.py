"""`rlve report`."""

from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from rlve import reports
from rlve.reports.terminal import print_text


def run(
    folder: Annotated[Positional[Path], arg(metavar="FOLDER", help_behavior_hint="")],
    /,
) -> None:
    """Draw the report of a training run, an evaluation, a simulation or an experiment.

    It is written to report.html in the folder: one file, with its pictures inside. Whatever is
    still being made is drawn as far as it has come; an evaluation has to be finished.

    Args:
        folder: The folder that `rlve train`, `eval`, `simulate` or `experiment` has written.
    """
    place = reports.draw(folder)
    print_text(reports.tell(folder))
    print(f"Wrote {place}")
