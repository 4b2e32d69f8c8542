"""`rlve compare`."""

from pathlib import Path
from typing import Annotated

import msgspec
from tyro.conf import Positional, arg

from rlve.cli._options import Flag
from rlve.errors import UserError
from rlve.evaluate.compare import By, compare, find_evaluations
from rlve.files import STDOUT, replacing
from rlve.reports import comparison as report
from rlve.reports.terminal import print_table, print_text


def run(
    folders: Annotated[
        Positional[tuple[str, ...]], arg(metavar="FOLDER [FOLDER ...]", help_behavior_hint="")
    ],
    /,
    *,
    baseline: Annotated[
        str | None, arg(metavar="NAME", help_behavior_hint="(default: the first)")
    ] = None,
    suite: Annotated[str | None, arg(metavar="SUITE", help_behavior_hint="")] = None,
    by: Annotated[By | None, arg(metavar="{environment,difficulty}", help_behavior_hint="")] = None,
    output: Annotated[
        Path | None, arg(aliases=["-o"], metavar="FILE", help_behavior_hint="")
    ] = None,
    json: Flag = False,
) -> None:
    """Compare evaluations of the same questions, of different models or of one run's checkpoints.

    A folder is what `rlve eval` has written, or has such folders below it. NAME=FOLDER gives what
    is in a folder a name of its own. The step of a checkpoint is read from the name of its model,
    or else of the folder: step-000100, checkpoint-100.

    Differences are to the baseline, in percentage points, with 95% bootstrap intervals over
    questions, which both have answered. An interval without 0 is more than chance easily explains.

    Args:
        folders: Evaluations to compare; the order is kept, and a run is in the order of its steps.
        baseline: The evaluation, or its folder, that the others are compared with.
        suite: Which suite, if the folders have evaluations of several.
        by: Say it for each environment or each difficulty, too.
        output: Write a page with curves over training steps, and the tables, to this HTML file.
        json: Print everything as JSON.
    """
    if not folders:
        raise UserError("no folder was given; rlve eval writes them")
    if output == STDOUT and json:
        raise UserError("the page and the JSON cannot both go to stdout")
    found = compare(find_evaluations(folders, suite), baseline=baseline, by=by or "environment")
    if output is not None:
        with replacing(output) as file:
            file.write(report.page(found).encode("utf-8", "replace"))
    if output == STDOUT:
        return
    if json:
        print(msgspec.json.format(msgspec.json.encode(found)).decode())
        return
    print_table(report.headings(found), report.rows(found))
    if by is not None:
        print()
        print_table(report.group_headings(found), report.group_rows(found), keys=3)
    print_text(f"\n{report.headline(found)}")
    for note in found.notes:
        print_text(f"Mind: {note}")
    if output is not None:
        print(f"Wrote {output}")
