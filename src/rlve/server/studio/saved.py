"""report.html: the page of a run, an evaluation or a frontier as one file that needs no other.

write_report(Path("runs/nano"))       even during the run

The page is the studio's, with its style, its scripts and what they draw inside; where scripts do
not run, charts are pictures.
"""

from pathlib import Path

from rlve.errors import UserError
from rlve.evaluate.results import check_finished
from rlve.foundation.files import write_whole
from rlve.foundation.run_folders import REPORT, run_kind
from rlve.pool import Pool
from rlve.server.studio.folders import Folders
from rlve.server.studio.pages import Links
from rlve.server.studio.views import Pages, Studio


def write_report(folder: Path, *, ended: bool = False) -> Path:
    """Write the page of what is in a folder into it, and return its path.

    `ended` says that a run is over, though its folder is still held by who carried it out.
    """
    kind = run_kind(folder).name
    with Pool(1) as pool:
        text = _page(Studio(Folders([folder]), pool), kind, ended=ended)
    report = folder / REPORT
    write_whole(report, text.encode("utf-8", "replace"))
    return report


def _page(studio: Studio, kind: str, *, ended: bool) -> str:
    pages = Pages(studio, Links(saved=True))
    match kind:
        case "train" | "teach":
            (found,) = studio.folders.all(kind)
            return pages.saved_run(found.id, ended=ended)
        case "eval":
            (found,) = studio.folders.all("eval")
            check_finished(studio.evaluation(found.id).stored)
            return pages.saved_evaluation(found.id)
        case "frontier":
            (found,) = studio.folders.all("frontier")
            return pages.frontier(found.id)
        case _:
            raise UserError(f"there is no page of a {kind}")
