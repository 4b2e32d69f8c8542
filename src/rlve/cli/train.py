"""`rlve train`."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Annotated

from tyro.conf import arg

from rlve.cli._options import value_of
from rlve.errors import UserError
from rlve.models.threads import share_cores

try:
    from rlve.train.config import Config, read_config
    from rlve.train.presets import DEFAULT, PRESETS, default_preset, preset
except ImportError as error:
    raise UserError(f"rlve train needs {error.name}: pip install 'rlve[train]'") from error


def run(
    *,
    preset: Annotated[str, arg(metavar="NAME", help_behavior_hint=f"({', '.join(PRESETS)})")] = (
        DEFAULT
    ),
    resume: Annotated[Path | None, arg(metavar="RUN", help_behavior_hint="")] = None,
    config: Annotated[Config, arg(name="")] = Config(),  # noqa: B008  frozen
) -> int:
    """Train a policy on environments whose difficulty adapts to it.

    Without any flag this trains the embedded policy, nano, on two cores of the CPU in six to seven
    minutes. A preset fills in all settings, and each can be changed by its flag. The defaults shown
    here are those of the preset that is given.

    A run is a folder: settings, metrics, sampled rollouts, checkpoints, and report.html. Ctrl-C,
    SIGTERM, SIGHUP and the end of --run.hours finish the step and save a checkpoint; --resume goes
    on from there, as if nothing had happened. A resumed run has its own settings; only those under
    `run options` can be changed.

    Args:
        preset: The settings to start from.
        resume: Go on with the run in this folder.
        config: All settings.
    """
    share_cores()
    from rlve.cli import INTERRUPTED
    from rlve.train.history import read_steps, read_validations
    from rlve.train.live import Progress, view
    from rlve.train.loggers import Loggers
    from rlve.train.trainer import train

    folder = config.run.folder or _new_folder(preset)
    config = replace(config, run=replace(config.run, folder=folder))
    config.check()
    loggers = Loggers(config, folder)
    _no_bars()
    print(f"Training {config.policy.model} into {folder}", flush=True)
    before = read_steps(folder) if resume else []
    progress = Progress(config, before, read_validations(folder) if resume else [])
    try:
        with loggers, view(progress, folder) as shown:
            outcome = train(
                config, [shown, loggers], resume=bool(resume), on_interrupt=shown.stop_soon
            )
    except KeyboardInterrupt:
        _stopped(folder, "at once")
        return INTERRUPTED
    finally:
        if len(progress.steps) > len(before):  # also where the run broke off: to see what led there
            _report(folder)
    if outcome.interrupted:
        _stopped(folder, f"after step {outcome.step:,} of {config.run.steps:,}")
        return INTERRUPTED
    if len(progress.steps) == len(before):
        print(f"All {outcome.step:,} steps are done; --run.steps sets how many there are.")
    return 0


def prepared(words: Sequence[str]) -> Callable[..., int]:
    """The command, with the defaults of the preset or of the run that the words name."""
    place = value_of("--resume", words)
    name = value_of("--preset", words)
    if place is None:
        name = name or default_preset(value_of("--policy.model", words))
        return partial(run, preset=name, config=preset(name))
    if name is not None:
        raise UserError("a resumed run has its own settings; leave out --preset or --resume")
    return partial(run, config=read_config(Path(place)))


def _new_folder(name: str) -> Path:
    return Path("runs") / f"{name.lower()}-{datetime.now():%Y%m%d-%H%M%S}"


def _no_bars() -> None:
    """Bars for loading and writing weights would tear the view apart."""
    from transformers.utils import logging

    logging.disable_progress_bar()


def _report(folder: Path) -> None:
    from rlve.reports import training as report

    try:
        place = report.write_report(folder)
    except OSError as error:  # such as a full disk, which has stopped the run, too
        print(f"rlve: there is no report: {error.strerror}", file=sys.stderr)
        return
    print(f"\n{report.tell(folder)}\nThe report is {place}", flush=True)


def _stopped(folder: Path, when: str) -> None:
    if (folder / "config.json").exists():
        go_on = f"; go on with: rlve train --resume {folder}"
    else:
        go_on = ", before the run began"
    print(f"rlve: stopped {when}{go_on}", file=sys.stderr)
