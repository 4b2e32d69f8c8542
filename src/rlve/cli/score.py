"""`rlve score`."""

import json as jsonlib
import sys
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, TextIO

from tyro.conf import Positional

from rlve.answers import Marker, Reading
from rlve.cli._options import Columns, Flag, Load, OutputFile, Workers, column_names, metavar
from rlve.datasets.scoring import OutputTally, ScoreReport, score
from rlve.errors import UserError
from rlve.foundation.files import STDIN, STDOUT, pretty, replacing
from rlve.pool import Pool
from rlve.reports.terminal import echo, print_table, progress_bar
from rlve.targets import load_code

DEADLINE = 10.0  # seconds; the help states it
COLUMNS = ("output", "environment", "parameters", "difficulty", "seed", "marker")


def run(
    files: Annotated[Positional[tuple[Path, ...]], metavar("FILE [FILE ...]")],
    /,
    *,
    output: OutputFile = None,
    marker: Annotated[Marker | None, metavar("{answer,boxed,any}")] = None,
    reading: Annotated[
        Reading | None, metavar("{exact,forgiving}", hint="(default: exact)")
    ] = None,
    load: Load = (),
    column: Columns = (),
    json: Flag = False,
    workers: Workers = None,
    deadline: Annotated[
        float | None, metavar("SECONDS", hint="(default: 10, or the evaluation's own)")
    ] = None,
) -> None:
    r"""Judge stored outputs of a model, and report accuracy by environment and difficulty.

    A line of input is a JSON object, or a row of a Parquet file, with the outputs, as "output" (a
    string) or "outputs" (a list of strings), and the problem: "environment" with "parameters" (an
    object, or JSON in a string), or with "difficulty" and "seed". Lines written by `rlve dataset`
    lack only the outputs.

    With -o, every line is written out again in order, with its "verdict" or, for "outputs", its
    "verdicts"; each has a reward, correct and well_formed. If the input has these columns, they are
    replaced. A line that cannot be judged is an error that names it, and nothing is written.

    A folder written by `rlve eval` is judged again without a model, and gets new verdicts, a new
    results.json and a new report.html.

    Args:
        files: JSONL or Parquet files, where - is JSONL on stdin; or folders of evaluations.
        output: Write the lines with their verdicts to this JSONL file; - is stdout.
        marker: What encloses an answer. By default the column "marker", or else any marker.
        reading: How to read answers: exactly, or forgivingly, which also accepts, for example,
            commas and brackets around lists, $42$, and yes for Yes. An evaluation does both.
        load: Your own file or module that defines environments or formats named in the input.
        column: The name of a column in your own file, such as output=completion; the names it can
            stand for are output, environment, parameters, difficulty, seed and marker.
        json: Print the report as JSON.
        workers: Processes that judge outputs.
        deadline: Time allowed for judging an output; an answer that exceeds it is wrong.
    """
    load_code(*load)
    if not files:
        raise UserError("no file was given; use - for stdin")
    if any(path.is_dir() for path in files):
        if output is not None or not all(path.is_dir() for path in files):
            raise UserError(
                "the folder of an evaluation is judged in place; leave out --output, and judge "
                "files separately"
            )
        if column:
            raise UserError("an evaluation has its own columns; leave out --column")
        if reading is not None:
            raise UserError("an evaluation is read in both ways; leave out --reading")
        _score_folders(files, marker, json, workers, deadline)
        return
    columns = column_names(column, COLUMNS)
    for path in files:
        if path != STDIN and not path.is_fifo():
            path.open("rb").close()  # a file that cannot be read fails before the work
    with (
        nullcontext(None) if output is None else replacing(output) as out,
        Pool(workers, deadline=DEADLINE if deadline is None else deadline) as pool,
        progress_bar("lines") as bar,
    ):
        task = bar.add_task("", total=None)
        report = score(
            files,
            pool,
            marker=marker,
            reading=reading or "exact",
            columns=columns,
            write=None if out is None else out.write,
            watch=lambda lines: bar.advance(task, lines),
        )
    # A report on stdout would mix with the lines written there.
    file = sys.stderr if output == STDOUT else sys.stdout
    if json:
        _print_json(report, file)
    else:
        _print_tables(report, file)


def _score_folders(
    folders: Iterable[Path],
    marker: Marker | None,
    json: bool,
    workers: int | None,
    deadline: float | None,
) -> None:
    from rlve.cli._evaluations import show_progress, show_results
    from rlve.cli._reports import write_report
    from rlve.evaluate.runner import rejudge

    for folder in folders:
        with show_progress() as watch:
            results = rejudge(
                folder, workers=workers, deadline=deadline, marker=marker, watch=watch
            )
        write_report(folder)
        if json:
            echo(pretty(results).decode(), end="")
        else:
            show_results(results)


def _print_json(report: ScoreReport, file: TextIO) -> None:
    record = {
        "environments": {
            name: _summary(tally) for name, tally in sorted(report.environments.items())
        },
        "difficulties": {level: _summary(tally) for level, tally in sorted(report.levels.items())},
        "total": _summary(report.total),
    }
    echo(jsonlib.dumps(record, indent=2), file=file)


def _summary(tally: OutputTally) -> dict[str, int | float | None]:
    return {
        "outputs": tally.outputs,
        "accuracy": tally.accuracy,
        "mean_reward": tally.mean_reward,
        "ill_formed": tally.ill_formed_share,
        "failed": tally.failed,
    }


def _print_tables(report: ScoreReport, file: TextIO) -> None:
    headings = ("outputs", "accuracy", "mean reward", "ill-formed", "failed")
    print_table(
        ("environment", *headings),
        [_row(name, tally) for name, tally in sorted(report.environments.items())],
        total=_row("all", report.total),
        file=file,
    )
    if len(report.levels) > 1:
        echo(file=file)
        levels = [_row(str(level), tally) for level, tally in sorted(report.levels.items())]
        print_table(("difficulty", *headings), levels, file=file)
    if report.failures:
        kinds = ", ".join(f"{kind} {times:,}" for kind, times in sorted(report.failures.items()))
        echo(f"\nfailed: could not be judged ({kinds}); the reward is -1", file=file)


def _row(name: str, tally: OutputTally) -> tuple[object, ...]:
    return (
        name,
        tally.outputs,
        _percent(tally.accuracy),
        None if tally.mean_reward is None else f"{tally.mean_reward:.3f}",
        _percent(tally.ill_formed_share),
        tally.failed,
    )


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{share:.1%}"
