"""`rlve experiment`."""

import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext, redirect_stderr, redirect_stdout
from dataclasses import replace
from functools import partial, wraps
from io import StringIO
from pathlib import Path
from typing import Annotated, Any

import tyro
from tyro.conf import FlagCreatePairsOff, Positional, arg

from rlve.cli import INTERRUPTED
from rlve.cli._cells import announcement, view
from rlve.cli._options import metavar, value_of
from rlve.errors import UserError
from rlve.models.locations import check_model, require_torch
from rlve.models.threads import share_cores
from rlve.reports.terminal import print_table, print_text, say
from rlve.studies.experiments import Plan, Study, TestConfig, choose_cells
from rlve.studies.folder import claim, is_finished
from rlve.studies.gpu import share_gpu
from rlve.studies.index import STUDIES, find_study
from rlve.studies.jobs import run_cells
from rlve.train.config import Config
from rlve.train.presets import DEFAULT, PRESETS, default_preset, preset

NANO_KNOWS = ("Sorting", "ABProgramSimulation")  # it is too small to generalise beyond them


def run(
    name: Annotated[Positional[str], metavar("NAME")],
    *,
    preset: Annotated[str, metavar("NAME", hint=f"({', '.join(PRESETS)})")] = (DEFAULT),
    settings: Annotated[tuple[str, ...], arg(metavar="SETTING ...")] = ("adaptive",),
    seeds: int = 2,
    fixed_problems: int = 0,
    only: Annotated[tuple[str, ...], metavar("CELL ...", hint="(default: all)")] = (),
    jobs: Annotated[int, arg(aliases=["-j"])] = 1,
    mps: FlagCreatePairsOff[bool] = False,
    collect: FlagCreatePairsOff[bool] = False,
    test: TestConfig = TestConfig(),  # noqa: B008  frozen
    config: Annotated[Config, arg(name="")] = Config(),  # noqa: B008  frozen
) -> int:
    """Reproduce an experiment of the paper: train one model in several ways, and compare.

    generalisation: RLVE on 256 environments, measured on 50 others, against the same run rewarded
    for the form of answers alone. environment-scaling: one, four, sixteen and 256 environments,
    measured on 50 others (Figure 5). adaptivity: adaptive against static difficulty (Figures 3 and
    4). rlve-vs-rlvr: fresh adaptive problems against a fixed set, seen again and again. curricula:
    Algorithm 1 against other ways to choose difficulties.

    There is one training run, a cell such as C16/adaptive/0, for every environment or collection in
    --data.environments, every setting and every seed; names joined by + are trained on together. A
    setting is `adaptive`, another curriculum (two-way, learnability, bandit), one of these with
    rehearsal (adaptive+rehearsal-20) or rewarded for form alone (adaptive+form), a range that never
    moves (static-0-20), or a fixed set of problems from such a range (fixed-0-4). All cells start
    from the same weights and take the same number of steps.

    Cells can run at the same time (--jobs), or be divided between several processes (--only): those
    that are finished or running elsewhere are left alone. Ctrl-C saves every run, and the same
    command resumes them. --collect trains nothing; it writes the table, pictures and report.html
    for what is in --run.folder, as `rlve report` does.

    Args:
        name: The experiment: generalisation, environment-scaling, adaptivity, rlve-vs-rlvr or
            curricula.
        preset: The training settings to start from.
        settings: The ways of choosing problems to compare.
        seeds: Runs per environment and setting; the first uses the seed --run.seed.
        fixed_problems: Problems in the fixed set of a fixed-* setting.
        only: Run only these cells, or cells that start like this: C16/adaptive; do not collect.
        jobs: Cells to run at the same time.
        mps: Let cells share one NVIDIA GPU simultaneously instead of taking turns.
        collect: Write the table and pictures for the runs so far.
        test: How to measure accuracy.
        config: All training settings.
    """
    folder = config.run.folder or Path("runs") / name
    if collect:
        _present(folder)
        return 0
    for what, number in (("jobs", jobs), ("seeds", seeds)):
        if number < 1:
            raise UserError(f"{what} must be at least 1, not {number}")
    if config.data.static is not None:
        raise UserError("data.static is for a single run; use --settings static-0-20 instead")
    if config.data.dataset is not None:
        raise UserError("data.dataset is for a single run; use --settings fixed-0-4 instead")
    require_torch("rlve experiment")
    check_model(config.policy)
    from rlve.train.fit import fit

    config = fit(config)
    plan = Plan(
        study=name,
        training=config,
        trained_on=config.data.environments,
        settings=settings,
        seeds=tuple(range(config.run.seed, config.run.seed + seeds)),
        fixed_problems=fixed_problems,
        test=test,
    )
    plan.check()
    cells = choose_cells(plan.cells(), only)
    claim(plan, folder)
    left = [cell for cell in cells if not is_finished(plan, folder, cell)]
    print_text(announcement(plan, cells, left, folder, jobs), file=sys.stderr)
    share_cores()
    try:
        with share_gpu() if mps else nullcontext(), view(plan, left) as shown:
            run_cells(
                plan,
                left,
                folder,
                jobs=jobs,
                workers=config.run.workers,
                say=shown.say,
                watch=shown.watch,
                on_interrupt=shown.stopping,
            )
    except KeyboardInterrupt:
        resume = f"the same command resumes, and rlve report {folder} shows what is there"
        say(f"rlve: stopped; {resume}")
        return INTERRUPTED
    if not only:
        _present(folder)
    return 0


def prepare(words: Sequence[str]) -> Callable[..., int]:
    """The command, with the defaults of the experiment and the preset on the command line."""
    study = _study(words)
    name = value_of("--preset", words) or default_preset(value_of("--policy.model", words))
    config = preset(name)
    test, trained_on = study.test, study.trained_on
    if name == DEFAULT and study.name == "adaptivity":
        test, trained_on = replace(test, held_out=0), NANO_KNOWS
    config = replace(
        config,
        policy=replace(config.policy, device="auto"),
        data=replace(
            config.data, environments=trained_on, window=study.window or config.data.window
        ),
        run=replace(config.run, folder=Path("runs") / study.name, keep_checkpoints=1),
    )
    return partial(
        run,
        preset=name,
        settings=study.settings,
        seeds=study.seeds,
        fixed_problems=study.fixed_problems,
        test=test,
        config=config,
    )


def _study(words: Sequence[str]) -> Study:
    """The experiment that is named; any one, if tyro is about to print help or an error."""
    if words and not words[0].startswith("-"):
        return find_study(words[0])

    @wraps(run)
    def named(name: str, **_: Any) -> str:
        return name

    try:  # only tyro knows which words are values of flags
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            return find_study(tyro.cli(named, args=words))
    except SystemExit as leaving:
        known = [STUDIES[word] for word in words if word in STUDIES]
        if leaving.code and not known:
            find_study(None)
        return next(iter([*known, *STUDIES.values()]))


def _present(folder: Path) -> None:
    from rlve.reports import experiments as report
    from rlve.studies.comparison import summarise
    from rlve.studies.records import read_results

    try:
        page = report.write_report(folder)
    except ImportError as error:
        raise UserError(
            f"the pictures need {error.name}; the runs are done, so install it and draw them with "
            "--collect"
        ) from error
    print_table(*report.short_table(summarise(read_results(folder))), keys=2)
    print_text(f"\n{report.tell(folder)}")
    print(f"\nWrote {page}, with tables, pictures and metrics beside it.")
