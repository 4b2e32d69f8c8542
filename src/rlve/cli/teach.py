"""`rlve teach`."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

from tyro.conf import arg

from rlve.cli._next_steps import after_teaching
from rlve.cli._options import Load, metavar, value_of, values_of
from rlve.cli._runs import carry_out, load_named_in
from rlve.errors import UserError
from rlve.foundation.run_folders import CONFIG, MODEL, latest_checkpoint
from rlve.models.threads import share_cores
from rlve.reports.terminal import echo
from rlve.targets import check_loaded, load_code
from rlve.train.config import with_folder
from rlve.train.config_files import SettingsFile, overlay, read_settings
from rlve.train.preflight import preflight
from rlve.train.teaching.config import TeachingConfig, read_teaching_config, teaching_config


def run(
    *,
    config_file: Annotated[Path | None, metavar("FILE", name="config")] = None,
    resume: Annotated[Path | None, metavar("RUN")] = None,
    load: Load = (),
    config: Annotated[TeachingConfig, arg(name="")] = TeachingConfig(),  # noqa: B008  frozen
) -> int:
    r"""Teach a model correct answers before it learns from rewards.

    Each step shows it problems in its prompt format, each followed by a correct answer, marked as
    the format asks (for example \boxed{...}), and the end of the output. With --data.worked, the
    way to the answer comes before it, where an environment has one. The loss is on the answers
    alone. The result is an ordinary Hugging Face model in the folder's checkpoints, for `rlve train
    --policy.model`, `rlve eval --model` and other tools.

    A run is a folder: settings, metrics, examples, accuracy on test problems, checkpoints, and
    report.html. Ctrl-C, SIGTERM, SIGHUP and the end of --run.hours finish the step and save a
    checkpoint; --resume continues from there as if nothing had happened. A resumed run keeps its
    settings; only those under `run options` can be changed, and those that cost or save memory,
    such as --update.micro-batch-tokens.

    Args:
        config_file: Settings in YAML or JSON, such as another run's config.json; flags override
            it. It can also name your own code (load: FILE.py).
        resume: Resume the run in this folder.
        load: Your own file or module that defines what the run's settings name.
        config: All settings.
    """
    config = with_folder(config)
    folder = preflight(config, resume=resume is not None)
    share_cores()
    from rlve.train.teaching import TeachingRun

    echo(f"Teaching {config.policy.model} into {folder}")
    run = TeachingRun(config, resume=resume is not None)
    code = carry_out("teach", run, code=config.data.code)
    if made := latest_checkpoint(folder):
        if not config.policy.lora_rank:
            echo(f"The model is {made / MODEL}")
        if code == 0:
            size = sum(weight.numel() for weight in run.policy.model.parameters())
            echo(f"Next: {after_teaching(run.config, folder, size)}")
    return code


def prepare(words: Sequence[str]) -> Callable[..., int]:
    """The command, with the defaults of the model or the run on the command line."""
    load_code(*values_of("--load", words))
    folder, file = value_of("--resume", words), value_of("--config", words)
    if folder is None:
        found = read_settings(Path(file), TeachingConfig) if file else SettingsFile({})
        load_named_in(found, file)
        model = value_of("--policy.model", words) or found.settings.get("policy", {}).get("model")
        config = overlay(teaching_config(model), found.settings, what=str(file))
        check_loaded(config.data.code, file)
        return partial(run, config=config)
    if file is not None:
        raise UserError("a resumed run keeps its settings; leave out --config or --resume")
    config = read_teaching_config(Path(folder))
    check_loaded(config.data.code, Path(folder) / CONFIG)
    return partial(run, config=config)
