"""`rlve dataset`."""

from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Annotated

from tyro.conf import arg

from rlve.cli import FAULTY
from rlve.cli._options import Flag, Selection, Workers
from rlve.cli._pools import RayAddress, open_pool
from rlve.datasets.export import Exported, export
from rlve.datasets.rows import row_writer
from rlve.foundation.files import STDOUT
from rlve.levels import as_difficulties
from rlve.reports.terminal import progress_bar, say
from rlve.targets import find_format

MOST_NAMED = 5  # environments named in a line of the report
MOST_REASONS = 10  # reasons for failures in the report


def run(
    *,
    selection: Selection = Selection(),  # noqa: B008  frozen
    output: Annotated[Path, arg(aliases=["-o"], metavar="FILE")],
    count: Annotated[int, arg(aliases=["-n"])] = 1_000,
    difficulties: Annotated[str, arg(aliases=["-d"], metavar="LIST")] = "0..4",
    format: Annotated[str, arg(metavar="FORMAT")] = "chat",
    seed: Annotated[int, arg(aliases=["-s"])] = 0,
    duplicates: Flag = False,
    worked: Flag = False,
    workers: Workers = None,
    deadline: Annotated[float, arg(metavar="SECONDS")] = 10.0,
    ray: RayAddress = None,
) -> int:
    """Export problems to JSONL or Parquet.

    The same command gives the same file, whatever the number of workers. Its columns are id,
    data_source, environment, family, difficulty, seed, prompt, answer, marker, format, parameters
    as a JSON string and, for your own environments, defined_in, the name of their file. Add a
    column "output" or "outputs", and `rlve score` judges its contents.

    With --worked, the file is for supervised training: "messages", a user's and an assistant's
    turn, take the place of the prompt of a chat; other formats have a "prompt" and a "completion".
    What has no worked solution is left out or replaced, and reported.

    No problem appears twice. If a level runs out of new problems, other levels of its environment
    provide the rest; if an environment runs out, the other environments do. Difficulties above an
    environment's highest are left out. Both are reported. The exit code is 1 if there are still
    too few problems.

    Args:
        selection: The environments to export.
        output: The file to write, ending in .jsonl or .parquet, or - for JSONL on stdout.
        count: The total number of problems, spread evenly over environments and difficulties.
        difficulties: For example 3, or 0,2,8, or 0..4 for 0 to 4.
        format: The format of the prompts: chat, base, plain, or MODULE:NAME for your own.
        seed: Another seed gives other problems.
        duplicates: Keep repeated problems instead of replacing them.
        worked: Export problems with their worked solutions, for supervised training.
        workers: Processes that generate problems.
        deadline: Time allowed for generating a problem.
        ray: Generate on the Ray cluster at HOST:PORT, or auto for the one on this machine.
    """
    chosen, levels, environments = (
        find_format(format),
        as_difficulties(difficulties),
        selection.environments(),
    )
    # An output that cannot be written fails before the work, not after it.
    with (
        row_writer(output) as write,
        open_pool(workers, deadline, ray) as pool,
        progress_bar("problems") as bar,
    ):
        task = bar.add_task("", total=count)
        exported = export(
            environments,
            pool,
            write,
            count=count,
            difficulties=levels,
            format=chosen,
            seed=seed,
            duplicates=duplicates,
            worked=worked,
            watch=lambda written, wanted: bar.update(task, completed=written, total=wanted),
        )
    _report(exported, output)
    return FAULTY if exported.missing else 0


def _report(exported: Exported, output: Path) -> None:
    where = "stdout" if output == STDOUT else output
    say(f"{exported.written:,} problems written to {where}")
    if exported.above:
        above = _list_some(f"{name} above {d}" for name, d in exported.above.items())
        say(f"left out, because they do not exist: {above}")
    if exported.never_worked:
        say(f"left out, without worked solutions: {_list_some(exported.never_worked)}")
    if exported.unworked:
        say(f"{exported.unworked:,} problems without a worked solution replaced")
    if exported.repeats:
        say(f"{exported.repeats:,} repeated problems replaced")
    if exported.replaced:
        say(
            f"{exported.replaced:,} taken from other levels or environments, because these ran "
            f"out: {_list_some(f'{c.name} at {c.difficulty}' for c in exported.exhausted)}"
        )
    for reason, times in exported.reasons().most_common(MOST_REASONS):
        say(f"rlve: not generated: {reason}" + (f" ({times} times)" if times > 1 else ""))
    if missing := exported.missing:
        advice = (
            "; ask for fewer, add environments or difficulties, or allow --duplicates"
            if exported.repeats
            else ""
        )
        say(f"rlve: {missing:,} problems are missing, because {exported.why_missing()}{advice}")


def _list_some(texts: Iterable[str]) -> str:
    first, more = [*islice(texts := iter(texts), MOST_NAMED)], len([*texts])
    return ", ".join(first) + (f" and {more:,} more" if more else "")
