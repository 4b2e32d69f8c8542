"""`rlve report`."""

from pathlib import Path
from typing import Annotated

from tyro.conf import Positional

from rlve import reports
from rlve.cli._options import metavar
from rlve.cli._reports import write_report
from rlve.reports.terminal import echo, print_text


def run(
    folder: Annotated[Positional[Path], metavar("FOLDER")],
    /,
) -> None:
    """Write the report of a run, an evaluation or a frontier.

    It goes to report.html in the folder: the page that `rlve studio` shows, as one file that can be
    opened, printed and sent. A run that is still going is reported as far as it has got; an
    evaluation must be finished.

    Args:
        folder: A folder written by `rlve train`, `teach`, `eval` or `frontier`.
    """
    page = write_report(folder)
    print_text(reports.tell(folder))
    echo(f"Wrote {page}")
