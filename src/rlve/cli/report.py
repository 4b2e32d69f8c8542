"""`rlve report`."""

from pathlib import Path
from typing import Annotated

from tyro.conf import Positional

from rlve import reports
from rlve.cli._options import metavar
from rlve.reports.terminal import print_text


def run(
    folder: Annotated[Positional[Path], metavar("FOLDER")],
    /,
) -> None:
    """Write the report of a training run, an evaluation, a simulation or an experiment.

    It goes to report.html in the folder, one file with its pictures inside. A run that is still
    going is reported as far as it has got; an evaluation must be finished.

    Args:
        folder: A folder written by `rlve train`, `eval`, `simulate` or `experiment`.
    """
    page = reports.draw(folder)
    print_text(reports.tell(folder))
    print(f"Wrote {page}")
