"""`rlve testset`."""

import sys
from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import Positional, arg

from rlve.cli import FAULTY
from rlve.cli._options import Workers, metavar
from rlve.datasets.rows import row_writer
from rlve.errors import UserError
from rlve.evaluate.overlap import Overlap, overlaps
from rlve.evaluate.questions import Suite
from rlve.evaluate.testsets import (
    HELD_OUT_PROBLEMS,
    IN_DISTRIBUTION_PROBLEMS,
    Drawing,
    held_out_suite,
    in_distribution_suite,
)
from rlve.foundation.files import STDOUT, open_regular
from rlve.reports.terminal import print_table, progress_bar, say
from rlve.targets import find_format
from rlve.text import quantity

MOST_OVERLAPS = 20  # overlaps named in the report


def run(
    kind: Annotated[Positional[Literal["held-out", "in-distribution"]], arg(help_behavior_hint="")],
    name: Annotated[Positional[str | None], metavar("[NAME]")] = None,
    /,
    *,
    output: Annotated[Path, arg(aliases=["-o"], metavar="FILE")],
    count: Annotated[int | None, metavar("INT", "-n", hint="(default: 50 or 4000)")] = None,
    seed: Annotated[int, arg(aliases=["-s"])] = 0,
    format: Annotated[str | None, metavar("FORMAT")] = None,
    check_disjoint: Annotated[tuple[Path, ...], metavar("TRAIN [TRAIN ...]")] = (),
    workers: Workers = None,
    deadline: Annotated[float, arg(metavar="SECONDS")] = 10.0,
) -> int:
    """Build a test set as in the paper.

    held-out: 50 distinct problems from each of the 50 environments that are in no training
    collection, 10 at each difficulty 0..4. in-distribution NAME: 4,000 distinct problems from one
    environment, 200 at each difficulty 0..19, or spread evenly over the difficulties it has.

    The same command gives the same file, whatever the number of workers. Its columns are those of
    `rlve dataset`. If a difficulty has too few distinct problems, others provide the rest, and the
    report says so; a set that cannot be completed is not written.

    With --check-disjoint, problems of the set that are also in the training files, with the same
    environment and parameters, are reported, and the exit code is 1.

    Args:
        kind: held-out or in-distribution.
        name: The environment of an in-distribution set; MODULE:CLASS for your own.
        output: The file to write, ending in .jsonl, or - for stdout.
        count: Problems per environment.
        seed: Another seed gives other problems.
        format: Fix the format of the prompts: chat, base, plain, or MODULE:NAME for your own. By
            default the evaluation chooses it.
        check_disjoint: Look for problems of the set in these training files of `rlve dataset`.
        workers: Processes that generate problems.
        deadline: Time allowed for generating a problem; one that takes longer is replaced.
    """
    if output != STDOUT and output.suffix != ".jsonl":
        raise UserError(f"the name of the output must end in .jsonl, unlike {output}")
    for file in check_disjoint:
        open_regular(file).close()  # a file that cannot be read fails before the work
    chosen = None if format is None else find_format(format)
    with row_writer(output) as write, progress_bar("problems") as bar:
        task = bar.add_task("", total=None)

        def watch(drawn: int, wanted: int) -> None:
            bar.update(task, completed=drawn, total=wanted)

        suite = _draw(kind, name, count, Drawing(seed, chosen, workers, deadline, watch))
        for question in suite.questions:
            write(question)
    for note in suite.notes:
        say(f"note: {note}")
    where = "stdout" if output == STDOUT else output
    say(f"{quantity(len(suite.questions), 'problem')} written to {where}")
    return _check_overlaps(suite, check_disjoint) if check_disjoint else 0


def _draw(kind: str, name: str | None, count: int | None, drawing: Drawing) -> Suite:
    if kind == "held-out":
        if name is not None:
            raise UserError(f"the held-out set has its own environments; leave out {name!r}")
        return held_out_suite(count=HELD_OUT_PROBLEMS if count is None else count, drawing=drawing)
    if name is None:
        raise UserError("name an environment: rlve testset in-distribution NAME -o FILE")
    return in_distribution_suite(
        name, count=IN_DISTRIBUTION_PROBLEMS if count is None else count, drawing=drawing
    )


def _check_overlaps(suite: Suite, files: tuple[Path, ...]) -> int:
    lines = 0
    with progress_bar("training problems compared") as bar:
        task = bar.add_task("", total=None)

        def read() -> None:
            nonlocal lines
            lines += 1
            bar.advance(task)

        found = list(overlaps(suite.questions, files, read))
    what = f"{quantity(lines, 'problem')} in {', '.join(map(str, files))}"
    if not found:
        say(f"none of the {what} is in the test set")
        return 0
    print_table(
        ("problem in the test set", "is also in"),
        ((overlap.question.id, overlap.place) for overlap in found[:MOST_OVERLAPS]),
        file=sys.stderr,
    )
    if len(found) > MOST_OVERLAPS:
        say(f"and {len(found) - MOST_OVERLAPS:,} more")
    say(f"rlve: {_summary(found)}; compared with {what}")
    return FAULTY


def _summary(found: list[Overlap]) -> str:
    questions = len({overlap.question.id for overlap in found})
    problems = quantity(questions, "problem in the test set is", "problems in the test set are")
    return f"{problems} also in {quantity(len(found), 'training line')}"
