"""`rlve compare`."""

from functools import partial
from pathlib import Path
from typing import Annotated

import msgspec
from tyro.conf import Positional

from rlve.cli._options import Flag, OutputFile, metavar
from rlve.errors import UserError
from rlve.evaluate.compare import By, Comparison, compare
from rlve.evaluate.frontier.compare import FrontierComparison, compare_profiles, find_profiles
from rlve.evaluate.sources import find_evaluations, write_record
from rlve.foundation.files import STDOUT, replacing
from rlve.reports import comparison as report
from rlve.reports import frontier_comparison
from rlve.reports.terminal import echo, print_table, print_text


def run(
    folders: Annotated[Positional[tuple[str, ...]], metavar("FOLDER [FOLDER ...]")],
    /,
    *,
    baseline: Annotated[str | None, metavar("NAME", hint="(default: the first)")] = None,
    suite: Annotated[str | None, metavar("SUITE")] = None,
    by: Annotated[By | None, metavar("{environment,difficulty}")] = None,
    pass_at: Annotated[int | None, metavar("K", hint="(default: the suite's own metric)")] = None,
    record: Annotated[Path | None, metavar("FILE", hint="")] = None,
    output: OutputFile = None,
    json: Flag = False,
) -> None:
    """Compare evaluations or frontiers of different models, or of one run's checkpoints.

    A folder is one that `rlve eval` wrote, or contains such folders. NAME=FOLDER gives the
    evaluations in a folder a name of their own; folders of one NAME hold runs of one way of
    training, and their mean is compared. A checkpoint's step is read from the name of its
    model, or else of the folder: step-000100, checkpoint-100.

    Differences from the baseline are in percentage points. Their 95% intervals are over
    environments, or over questions if these come from one, and over the runs of one name. If an
    interval excludes 0, chance is an unlikely explanation.

    --record keeps what is compared in one file, with a mark for each output, but without prompts
    and outputs: small enough to publish with a result. `rlve compare FILE` compares it again.

    Folders or profiles of `rlve frontier`, of any number of models, are ranked, and compared
    environment by environment, in levels of difficulty.

    Args:
        folders: Evaluations to compare, in this order; a run's checkpoints are sorted by step.
        baseline: The evaluation, or its folder, to compare the others with.
        suite: The suite to compare, if the folders hold evaluations of several.
        by: Also compare by environment or by difficulty.
        pass_at: Compare Pass@K: whether one of K outputs is right.
        record: Also write a record of the evaluations to this file.
        output: Write an HTML page with the tables, and curves over training steps, to this file.
        json: Print everything as JSON.
    """
    if not folders:
        raise UserError("no folder was given; give folders written by rlve eval")
    if output == STDOUT and json:
        raise UserError("the page and the JSON cannot both go to stdout")
    if profiles := find_profiles(folders):
        if suite is not None or by == "difficulty" or pass_at is not None or record is not None:
            raise UserError(
                "--suite, --by difficulty, --pass-at and --record are for evaluations, not for "
                "frontiers"
            )
        found = compare_profiles(profiles, baseline=baseline)
        shown = frontier_comparison
        page, headline = partial(_frontier_page, found), shown.headline(found)
        tables = [(shown.table(found), 1), (shown.environment_table(found), 2)]
    else:
        chosen = find_evaluations(folders, suite)
        found = compare(chosen, baseline=baseline, by=by or "environment", pass_at=pass_at)
        if record is not None:
            write_record(record, chosen)
        page, headline = partial(_page, found), report.headline(found)
        tables = [(report.table(found), 1), (report.group_table(found), 3)]
    if output is not None:
        with replacing(output) as file:
            file.write(page().encode("utf-8", "replace"))
    if output == STDOUT:
        return
    if json:
        echo(msgspec.json.format(msgspec.json.encode(found)).decode())
        return
    for table, keys in tables if by is not None else tables[:1]:
        print_table(*table, keys=keys)
        echo()
    print_text(headline)
    for note in found.notes:
        print_text(f"Note: {note}")
    if output is not None:
        echo(f"Wrote {output}")


def _page(found: Comparison) -> str:
    from rlve.server.studio.comparison_pages import comparison_page

    return comparison_page(found)


def _frontier_page(found: FrontierComparison) -> str:
    from rlve.server.studio.comparison_pages import frontier_comparison_page

    return frontier_comparison_page(found)
