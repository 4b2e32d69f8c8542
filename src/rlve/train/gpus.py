"""A run uses one GPU; where there are more, it says which command uses all."""

import logging
import shlex

import torch

from rlve.train.config import Config, UpdateConfig
from rlve.train.teaching.config import AnyConfig

_log = logging.getLogger("rlve.train")


def tell_gpus(config: AnyConfig, device: torch.device) -> None:
    """Say so if there are GPUs that a run on this device does not use."""
    count = torch.cuda.device_count() if device.type == "cuda" else 1
    if count == 1:
        return
    hint = ""
    if isinstance(config, Config) and config.data.dataset is None:
        hint = f"; this trains on all of them: {all_gpus(config, count)}"
    _log.warning("this run uses one of %d GPUs, %s%s", count, device, hint)


def all_gpus(config: Config, count: int) -> str:
    """The command that trains with verl on all GPUs of this machine; the paper's settings go
    without saying, here as there."""
    words = ["rlve", "verl", *config.data.environments, "--model", config.policy.model]
    words += ["--gpus", str(count)]
    if config.policy.format not in ("auto", "chat"):
        words += ["--format", config.policy.format]
    paper = Config(update=UpdateConfig(learning_rate=2e-6))
    for section, names in (
        ("data", ("max_prompt_tokens", "tau_acc", "tau_num", "window", "static")),
        ("rollout", ("problems", "oversample", "rounds", "group", "max_tokens", "signal")),
        ("update", ("learning_rate", "aggregation")),
        ("run", ("steps", "seed")),
    ):
        for name in names:
            value = getattr(getattr(config, section), name)
            if value is not None and value != getattr(getattr(paper, section), name):
                values = value if isinstance(value, tuple) else (value,)
                words += [f"--{name.replace('_', '-')}", *map(str, values)]
    return shlex.join(words)
