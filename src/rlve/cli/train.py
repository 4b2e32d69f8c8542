"""`rlve train`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Final

from tyro.conf import FlagCreatePairsOff, arg

from rlve.cli._next_steps import after_training
from rlve.cli._options import Flag, Load, metavar, value_of, values_of
from rlve.cli._runs import carry_out, load_named_in
from rlve.errors import UserError
from rlve.foundation.run_folders import CONFIG
from rlve.models.config import PolicyConfig
from rlve.models.locations import check_model, require_torch
from rlve.models.threads import share_cores
from rlve.reports.terminal import echo
from rlve.targets import check_loaded, load_code
from rlve.train.config import (
    Config,
    DataConfig,
    RolloutConfig,
    RunConfig,
    UpdateConfig,
    ValidationConfig,
    read_config,
    with_folder,
)
from rlve.train.config_files import SettingsFile, as_yaml, overlay, read_settings
from rlve.train.preflight import preflight
from rlve.train.presets import (
    ANY_MODEL,
    DEFAULT,
    PRESETS,
    default_preset,
    fitting_preset,
    preset,
)

USUAL: Final[Mapping[type, tuple[str, ...]]] = {
    PolicyConfig: ("model", "format", "lora_rank"),
    DataConfig: ("environments", "dataset", "curriculum", "static", "max_prompt_tokens"),
    RolloutConfig: ("problems", "group", "max_tokens", "temperature", "engine"),
    UpdateConfig: ("learning_rate", "micro_batch_tokens"),
    ValidationConfig: ("every",),
    RunConfig: ("folder", "steps", "seed", "hours", "log_to"),
}
"""The settings that people change."""

HELP: Final = {"-h", "--help", "--help-all"}


def run(
    *,
    preset: Annotated[str, metavar("NAME", hint=f"({', '.join(PRESETS)})")] = DEFAULT,
    config_file: Annotated[Path | None, metavar("FILE", name="config")] = None,
    print_config: FlagCreatePairsOff[Flag] = False,
    resume: Annotated[Path | None, metavar("RUN")] = None,
    load: Load = (),
    config: Annotated[Config, arg(name="")] = Config(),  # noqa: B008  frozen
) -> int:
    """Train a policy on environments whose difficulty adapts to it.

    Without flags, this trains the embedded policy, nano, on two CPU cores in six to seven minutes.
    A preset fills in all settings; a file overrides the preset, and flags override both. The
    defaults shown here are those of the given preset and file.

    A run is a folder: settings, metrics, sampled rollouts, checkpoints, and report.html. Ctrl-C,
    SIGTERM, SIGHUP and the end of --run.hours finish the step and save a checkpoint; --resume
    continues from there as if nothing had happened. A resumed run keeps its settings; only those
    under `run options` can be changed, and those that cost or save memory, such as
    --update.micro-batch-tokens.

    Args:
        preset: The settings to start from; by default those that suit the model and the device.
        config_file: Settings in YAML or JSON, such as another run's config.json. It can also name
            its preset (preset: NAME) and your own code (load: FILE.py).
        print_config: Print all settings in the form of such a file, and do not train.
        resume: Resume the run in this folder.
        load: Your own file or module that defines what the settings in a file name.
        config: All settings.
    """
    if print_config:
        echo(as_yaml(config), end="")
        return 0
    if preset in ANY_MODEL and config.policy.model == DEFAULT:
        raise UserError(f"--preset {preset} is for a model of your own; give it as --policy.model")
    config = with_folder(config, preset)
    folder = preflight(config, resume=resume is not None)
    share_cores()
    from rlve.train.trainer import Run

    settings = "" if config_file or resume else f", with the settings of --preset {preset}"
    echo(f"Training {config.policy.model} into {folder}{settings}")
    run = Run(config, resume=resume is not None)
    code = carry_out("train", run, code=config.code)
    if code == 0:
        echo(f"Next: {after_training(run.config, folder, run.policy.format.name)}")
    return code


def prepare(words: Sequence[str]) -> Callable[..., int]:
    """The command, with the defaults of the preset, the file or the run on the command line."""
    load_code(*values_of("--load", words))
    folder = value_of("--resume", words)
    given = {flag: value for flag in ("--preset", "--config") if (value := value_of(flag, words))}
    if folder is not None:
        for flag in given:
            raise UserError(f"a resumed run keeps its settings; leave out {flag} or --resume")
        config = read_config(Path(folder))
        check_loaded(config.code, Path(folder) / CONFIG)
        return partial(run, config=config)
    file = given.get("--config")
    found = read_settings(Path(file)) if file else SettingsFile({})
    load_named_in(found, file)
    model = value_of("--policy.model", words) or found.settings.get("policy", {}).get("model")
    name = given.get("--preset") or found.preset or default_preset(model)
    basis = preset(name)
    chosen = bool({"--preset", "--config"} & {*given}) or model in (None, DEFAULT)
    if not chosen and not HELP & {*words}:
        policy = PolicyConfig(model=str(model), revision=value_of("--policy.revision", words))
        if _is_found(policy) and on_cpu(policy, value_of("--policy.device", words)):
            name = _preset_on_cpu(policy)
            basis = replace(preset(name), policy=PolicyConfig())
    config = overlay(basis, found.settings, what=str(file))
    check_loaded(config.code, file)
    return partial(run, preset=name, config=config)


def _is_found(policy: PolicyConfig) -> bool:
    """Whether there is such a model; if not, the checks before a run say why."""
    try:
        check_model(policy)
    except UserError:
        return False
    return True


def on_cpu(policy: PolicyConfig, device: str | None) -> bool:
    """Whether a run would train on the CPU."""
    if device == "cpu":
        return True
    require_torch()
    from rlve.models.memory import gpu_memory

    return gpu_memory(policy) is None


def _preset_on_cpu(policy: PolicyConfig) -> str:
    """The preset that fits a model there; the paper's would keep it busy for weeks."""
    require_torch()
    from rlve.models.blueprints import blueprint
    from rlve.models.folders import parameters_of

    return fitting_preset(parameters_of(blueprint(policy)))
