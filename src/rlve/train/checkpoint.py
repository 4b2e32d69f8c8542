"""Checkpoints: all that a run needs to go on as if nothing had happened.

A checkpoint is a folder that appears whole or not at all: it is written under another name and
renamed. Its model/ is an ordinary Hugging Face model.
"""

# torch and transformers leave many of their types unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import json
import os
import shutil
from pathlib import Path
from typing import Any

import torch

from rlve.errors import UserError
from rlve.models.policy import Policy

PREFIX = "step-"


def save_checkpoint(
    folder: Path,
    step: int,
    policy: Policy,
    optimizer: torch.optim.Optimizer,
    engine: dict[str, Any],
    state: dict[str, Any],
    *,
    keep: int,
) -> Path:
    """Write the checkpoint after a step, and delete all but the latest `keep`."""
    place = folder / f"{PREFIX}{step:06d}"
    draft = folder / f".{place.name}.{os.getpid()}"
    draft.mkdir(parents=True, exist_ok=True)
    policy.model.save_pretrained(draft / "model")
    policy.tokenizer.save_pretrained(draft / "model")
    torch.save({"optimizer": optimizer.state_dict(), "engine": engine}, draft / "tensors.pt")
    (draft / "state.json").write_text(json.dumps({"step": step, **state}))
    for path in sorted(draft.rglob("*")):
        if path.is_file():
            _to_disk(path)
    if place.exists():
        shutil.rmtree(place)
    os.replace(draft, place)
    _to_disk(folder)
    for old in checkpoints(folder)[:-keep]:
        shutil.rmtree(old)
    return place


def checkpoints(folder: Path) -> list[Path]:
    """The checkpoints in a folder, the latest last."""
    return sorted(path for path in folder.glob(f"{PREFIX}*") if path.is_dir())


def latest_checkpoint(folder: Path) -> Path | None:
    """The checkpoint to go on from."""
    found = checkpoints(folder)
    return found[-1] if found else None


def load_tensors(place: Path) -> dict[str, Any]:
    """The optimiser's and the engine's state."""
    return torch.load(place / "tensors.pt", map_location="cpu", weights_only=True)


def load_state(place: Path) -> dict[str, Any]:
    """Everything else, as it was given to save_checkpoint()."""
    try:
        return json.loads((place / "state.json").read_text())
    except (OSError, json.JSONDecodeError) as error:
        raise UserError(f"the checkpoint {place} is damaged: {error}") from error


def _to_disk(path: Path) -> None:
    """Wait until the system has written it: a rename must not overtake the contents."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
