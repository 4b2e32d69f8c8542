"""`rlve teach`."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

from tyro.conf import arg

from rlve.cli._options import Load, value_of, values_of
from rlve.cli._runs import carry_out
from rlve.models.threads import share_cores
from rlve.targets import check_loaded, load_code
from rlve.train.preflight import preflight
from rlve.train.teaching_config import TeachingConfig, read_teaching_config, teaching_config


def run(
    *,
    resume: Annotated[Path | None, arg(metavar="RUN", help_behavior_hint="")] = None,
    load: Load = (),
    config: Annotated[TeachingConfig, arg(name="")] = TeachingConfig(),  # noqa: B008  frozen
) -> int:
    r"""Teach a model right answers, before it learns from rewards.

    Each step shows it problems in its prompt format, each continued by a right answer as the format
    marks it, \boxed{...} say, and the end of the output. The loss is on the answers alone. What
    comes out is an ordinary Hugging Face model in the folder's checkpoints, for `rlve train
    --policy.model`, `rlve eval --model` and others.

    A run is a folder: settings, metrics, examples, accuracy on unseen problems, checkpoints, and
    report.html. Ctrl-C, SIGTERM, SIGHUP and the end of --run.hours finish the step and save a
    checkpoint; --resume goes on from there, as if nothing had happened. A resumed run has its own
    settings; only those under `run options` can be changed.

    Args:
        resume: Go on with the run in this folder.
        load: A file, or module, of your own that defines what the settings of the run name.
        config: All settings.
    """
    config = config.with_folder()
    folder = preflight(config, resume=resume is not None)
    share_cores()
    from rlve.reports import teaching
    from rlve.train.checkpoint import latest_checkpoint
    from rlve.train.teaching import TeachingRun

    print(f"Teaching {config.policy.model} into {folder}", flush=True)
    run = TeachingRun(config, resume=resume is not None)
    code = carry_out("teach", run, teaching, code=config.data.code)
    if made := latest_checkpoint(folder / "checkpoints"):
        print(f"The model is {made / 'model'}")
    return code


def prepared(words: Sequence[str]) -> Callable[..., int]:
    """The command, with the defaults of the model or of the run that the words name."""
    for code in values_of("--load", words):
        load_code(code)
    place = value_of("--resume", words)
    if place is None:
        return partial(run, config=teaching_config(value_of("--policy.model", words)))
    config = read_teaching_config(Path(place))
    check_loaded(config.data.code, Path(place) / "config.json")
    return partial(run, config=config)
