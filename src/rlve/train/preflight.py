"""Checks to make before torch is imported, a model is loaded or anything is written."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from rlve.collections import resolve
from rlve.errors import UserError, require
from rlve.foundation.files import find_differences, pretty
from rlve.foundation.run_folders import CONFIG
from rlve.models.engines.table import ENGINES
from rlve.models.locations import check_model, require_torch
from rlve.targets import check_target, find
from rlve.train.loggers import check_loggers
from rlve.train.teaching.config import AnyConfig, TeachingConfig

COSTS: Final = {
    "policy.gradient_checkpointing": "rounding",
    "update.micro_batch_tokens": "rounding",
    "update.share_prompts": "rounding",
    "rollout.sleep": "rounding",
    "rollout.memory": "the order of sampling",
    "validation.memory": "the order of sampling",
    "rollout.deadline": "what misses the deadline",
    "data.deadline": "what misses the deadline",
}
"""Settings of memory and time that a resumed run may change, and up to what it stays the same.

rollout.slots is none of them: which groups finish first, and so make up the batch, depends on it.
"""


def preflight(config: AnyConfig, *, resume: bool = False) -> Path:
    """Raise a UserError for a run that cannot start or resume; return its folder."""
    config.check()
    folder = config.run.folder
    if folder is None:
        raise UserError("run.folder is not set")
    if not resume:  # a resumed run checks its folder itself
        check_free(folder)
    if isinstance(config, TeachingConfig):
        check_names(config.data.names())
    elif config.data.dataset is None:
        names = resolve(config.data.environments)
        check_names(names)
        config.data.build(names, group=config.rollout.group)
    elif not config.data.dataset.is_file():
        raise UserError(f"data.dataset: there is no file {config.data.dataset}")
    require_torch()
    if config.policy.lora_rank:
        require("peft", extra="lora", at_least="0.18", what="policy.lora-rank")
    section = "validation" if isinstance(config, TeachingConfig) else "rollout"
    ENGINES[config.engine].check(f"{section}.engine {config.engine}")
    check_loggers(config.run.log_to)
    check_model(config.policy)
    return folder


def check_names(names: Sequence[str]) -> None:
    """Check that these environments exist."""
    for name in names:
        if ":" in name:  # the user's own
            find(name)
        else:
            check_target(name)


def check_free(folder: Path) -> None:
    """Check that no other run uses the folder of a new one."""
    if (folder / CONFIG).exists():
        raise UserError(f"{folder} already holds a run; resume it with --resume {folder}")
    if folder.exists() and not folder.is_dir():
        raise UserError(f"run.folder: {folder} is a file")


def check_same(folder: Path, stored: Any, given: Any) -> list[str]:
    """Check that a resumed run keeps its settings, and return those of COSTS that have changed.

    Those of the run itself, such as run.steps, may change too, except for its seed.
    """
    changed = [
        name
        for name in find_differences(json.loads(pretty(stored)), json.loads(pretty(given)))
        if not name.startswith("run.") or name == "run.seed"
    ]
    if others := [name for name in changed if name not in COSTS]:
        raise UserError(f"{folder} belongs to a run with other settings: {', '.join(others)}")
    return changed
