"""`rlve experiment`."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import FlagCreatePairsOff, Positional, arg

from rlve.cli._options import value_of
from rlve.collections import resolve
from rlve.errors import UserError
from rlve.levels import as_range
from rlve.models.places import check_model, require_torch
from rlve.models.threads import share_cores
from rlve.reports.terminal import print_table
from rlve.studies.adaptivity import Plan, TestConfig, chosen, claim, run_cells
from rlve.train.config import Config
from rlve.train.presets import DEFAULT, PRESETS, default_preset, preset

ENVIRONMENTS = ("Sorting", "ABProgramSimulation")
FOLDER = Path("runs/adaptive-vs-static")


def run(
    name: Positional[Literal["adaptive-vs-static"]],
    *,
    preset: Annotated[str, arg(metavar="NAME", help_behavior_hint=f"({', '.join(PRESETS)})")] = (
        DEFAULT
    ),
    static: Annotated[tuple[str, ...], arg(metavar="RANGE ...")] = ("0..1", "0..20", "0..100"),
    seeds: int = 3,
    only: Annotated[
        tuple[str, ...], arg(metavar="CELL ...", help_behavior_hint="(default: all)")
    ] = (),
    jobs: Annotated[int, arg(aliases=["-j"])] = 1,
    collect: FlagCreatePairsOff[bool] = False,
    test: TestConfig = TestConfig(),  # noqa: B008  frozen
    config: Annotated[Config, arg(name="")] = Config(),  # noqa: B008  frozen
) -> int:
    """Train the same start with adaptive and with static difficulty, and compare (Figure 3).

    Every environment of --data.environments is trained on by itself, once with adaptive
    difficulty and once with each static range, for each seed: a cell, such as Sorting/adaptive/0
    or Sorting/static-0-20/0. All cells make the same number of steps. Accuracy is measured on a
    fixed set of problems.

    Cells can be run at once (--jobs), or in several processes and one by one (--only): what is
    finished or under way is left alone. The same command goes on where an earlier one stopped.
    --collect trains nothing; it makes table, pictures and report.html of what is in --run.folder.

    Args:
        name: The experiment.
        preset: The settings of training to start from.
        static: Ranges to compare with, that never move.
        seeds: Runs of each kind; the first has the seed --run.seed.
        only: Run these cells, or those that begin so, such as Sorting/adaptive; do not collect.
        jobs: Cells that are run at once.
        collect: Make table and pictures of what there is.
        test: How accuracy is measured.
        config: All settings of training.
    """
    folder = config.run.folder or FOLDER
    if collect:
        _present(folder)
        return 0
    if jobs < 1:
        raise UserError(f"jobs is at least 1, not {jobs}")
    if config.data.static is not None:
        raise UserError("data.static is one range for a run; --static gives those to compare")
    if config.data.dataset is not None:
        raise UserError("a data set has no difficulties to compare; leave out data.dataset")
    plan = Plan(
        training=config,
        environments=tuple(resolve(config.data.environments)),
        static=tuple(map(as_range, static)),
        seeds=tuple(range(config.run.seed, config.run.seed + seeds)),
        test=test,
    )
    plan.check()
    require_torch("rlve experiment")
    check_model(config.policy)
    cells = chosen(plan.cells(), only)
    claim(plan, folder)
    share_cores()
    run_cells(plan, cells, folder, jobs=jobs, workers=config.run.workers, say=_say)
    if not only:
        _present(folder)
    return 0


def prepared(words: Sequence[str]) -> Callable[..., int]:
    """The command, with the defaults of the preset that the words name."""
    name = value_of("--preset", words) or default_preset(value_of("--policy.model", words))
    config = preset(name)
    config = replace(
        config,
        policy=replace(config.policy, device="auto"),
        data=replace(config.data, environments=ENVIRONMENTS),
        run=replace(config.run, folder=FOLDER, keep_checkpoints=1),
    )
    return partial(run, preset=name, config=config)


def _present(folder: Path) -> None:
    from rlve.reports import adaptivity as report
    from rlve.studies.adaptivity_results import read_results, summarise

    try:
        place = report.write_report(folder)
    except ImportError as error:
        raise UserError(
            f"the pictures need {error.name}; the runs are done, and --collect draws them "
            "where it is installed"
        ) from error
    print_table(report.HEADINGS, map(report.row, summarise(read_results(folder))))
    print(f"\n{report.tell(folder)}")
    print(f"\nWrote {place}, with tables, pictures and metrics beside it.")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
