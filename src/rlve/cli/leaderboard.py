"""`rlve leaderboard`."""

from pathlib import Path
from typing import Annotated

from tyro.conf import Positional

from rlve.cli._options import OutputFile, metavar
from rlve.evaluate.frontier.profile import find_profiles_below
from rlve.files import STDOUT, replacing
from rlve.reports import leaderboard as report
from rlve.reports.terminal import print_table


def run(
    folder: Annotated[Positional[Path], metavar("FOLDER")],
    /,
    *,
    output: OutputFile = None,
) -> None:
    """Rank the frontiers of models, and make a page of them.

    The folder holds what `rlve frontier` wrote, in subfolders, or profiles copied from there, under
    any names that end in .json. The page is one HTML file that needs no other: its columns sort at
    a click, and each row opens to say how it was measured.

    Args:
        folder: A folder of profiles.
        output: Write the page to this file.
    """
    profiles = find_profiles_below(folder)
    if output is not None:
        with replacing(output) as file:
            file.write(report.page(profiles).encode("utf-8", "replace"))
    if output == STDOUT:
        return
    print_table(*report.text_table(profiles))
    if output is not None:
        print(f"Wrote {output}")
