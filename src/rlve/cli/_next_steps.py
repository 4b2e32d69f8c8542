"""What to do after a command: lines that can be typed as they are printed."""

import shlex
import shutil
import sys
from pathlib import Path

from rlve.collections import is_collection, resolve
from rlve.foundation.run_folders import MODEL, latest_checkpoint
from rlve.registry import DIALOGUE, family
from rlve.train.config import Config
from rlve.train.presets import fitting_preset
from rlve.train.teaching.config import AnyConfig

LONG = 8192  # a response limit from which evaluation has its own


def typed(*words: object) -> str:
    """A command as it can be typed here: rlve is where it was started from, if not on PATH."""
    program = Path(sys.argv[0])
    found = shutil.which("rlve")
    if program.name != "rlve" or (found and program.exists() and program.samefile(found)):
        program = Path("rlve")
    return shlex.join(map(str, (program, *words)))


def after_training(config: AnyConfig, folder: Path, format: str) -> str:
    """Look at rollouts, and measure the model."""
    looked = typed("rollouts", folder)
    if config.policy.lora_rank:
        out = folder / "exported"
        then = after_export(config, out, format)
        return f"{looked}, or {typed('export', folder, out)} and then {then}"
    return f"{looked}, or {measured(config, latest_checkpoint(folder))}"


def after_teaching(config: AnyConfig, folder: Path, parameters: int) -> str:
    """Train the model that was taught, on the same environments if they were named one by one."""
    place = latest_checkpoint(folder)
    model = place / MODEL if place else folder
    first = ""
    if config.policy.lora_rank:
        model = folder / "exported"
        first = f"{typed('export', folder, model)} and then "
    preset = "nano" if config.policy.model == "nano" else fitting_preset(parameters)
    words: list[object] = ["train", "--preset", preset, "--policy.model", model]
    if config.policy.format not in ("auto", "chat"):
        words += ["--policy.format", config.policy.format]
    if not any(map(is_collection, config.data.environments)):
        words += ["--data.environments", *config.data.environments]
    return first + typed(*words)


def after_export(config: AnyConfig, folder: Path, format: str) -> str:
    """Measure the model in its folder, which no longer knows how it was asked."""
    asked: list[object] = ["--format", format] if format != "chat" else []
    for name in ("system_prompt", "template_arguments", "stop_strings"):
        if value := getattr(config.policy, name):
            values = [value] if isinstance(value, str) else value
            asked += [f"--{name.replace('_', '-')}", *values]
    return measured(config, folder, *asked)


def measured(config: AnyConfig, model: Path | None, *asked: object) -> str:
    """Held-out environments tell most of a model trained on a collection; others are for those
    that were trained on."""
    names = config.data.environments
    limit: list[object] = ["--max-tokens", config.limits[1]] if config.limits[1] < LONG else []
    on_dataset = isinstance(config, Config) and config.data.dataset is not None
    if on_dataset or any(map(is_collection, names)):
        talks = not on_dataset and all(family(name) == DIALOGUE for name in resolve(names))
        suite = "dialogues" if talks else "held-out"
        return typed("eval", "-m", model, "--suite", suite, *limit, *asked)
    return typed("frontier", model, *names, *limit, *asked)
