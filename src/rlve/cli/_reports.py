"""How commands write report.html: the studio's page of a folder, as one file."""

from pathlib import Path


def write_report(folder: Path, *, ended: bool = False) -> Path:
    """Write the page into the folder; `ended` says that the run that holds it is over."""
    from rlve.server.studio import saved  # with all that pages need, which takes a while

    return saved.write_report(folder, ended=ended)
