"""Checkpoints: everything a run needs to continue as if nothing had happened.

A checkpoint is a folder that appears complete or not at all: it is written under another name and
then renamed. It holds

    model/           an ordinary Hugging Face model
    tensors.pt       the state of the optimiser and the engine
    state.json       a RunState
    checksums.json   the SHA-256 of each of these files

so that damage is noticed before anything is used. Nothing in it decides where anything is written.
"""

import hashlib
import json
import os
import shutil
from pathlib import Path
from pickle import UnpicklingError  # noqa: TID251  torch raises it, and we unpickle nothing
from typing import Any

import msgspec
import torch

from rlve.errors import UserError
from rlve.foundation.files import open_regular, read_record, to_disk
from rlve.foundation.limits import NotNegative, Step
from rlve.foundation.run_folders import (
    CHECKSUMS,
    MODEL,
    STATE,
    TENSORS,
    checkpoint_draft,
    checkpoint_drafts,
    checkpoint_folder,
    checkpoints,
    latest_checkpoint,
)
from rlve.models.folders import write_trouble
from rlve.models.policy import Policy


class RunState(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a run, except for its tensors."""

    step: Step
    seconds: NotNegative
    parts: dict[str, Any]
    """The states of the run's parts, by name."""
    seen: dict[str, list[str]]
    """The texts of the test problems that have come up in training, by environment."""
    version: str
    """The version of rlve that wrote it."""


def save_checkpoint(
    run: Path,
    policy: Policy,
    optimizer: torch.optim.Optimizer,
    engine: dict[str, Any],
    state: RunState,
    *,
    keep: int,
) -> Path:
    """Write the checkpoint after a step, and delete all but the latest `keep`."""
    place, draft = checkpoint_folder(run, state.step), checkpoint_draft(run, state.step)
    try:
        draft.mkdir(parents=True)
        alone = {"save_embedding_layers": False} if hasattr(policy.model, "peft_config") else {}
        policy.model.save_pretrained(draft / MODEL, **alone)  # adapters without what is below them
        policy.tokenizer.save_pretrained(draft / MODEL)
        with (draft / TENSORS).open("wb") as file:  # whose errors, unlike torch's own, say why
            torch.save({"optimizer": optimizer.state_dict(), "engine": engine}, file)
        (draft / STATE).write_bytes(msgspec.json.encode(state))
        (draft / CHECKSUMS).write_text(json.dumps(_checksums(draft)))
        for path in (*draft.rglob("*"), draft):  # a rename must not overtake the contents
            to_disk(path)
        if place.exists():
            shutil.rmtree(place)
        os.replace(draft, place)
    except Exception as error:
        shutil.rmtree(draft, ignore_errors=True)
        if (trouble := write_trouble(error)) is None:
            raise
        raise UserError(
            f"the checkpoint of step {state.step:,} could not be written to {place.parent}: "
            f"{trouble}; {last_good(run)}"
        ) from error
    to_disk(place.parent)
    for old in checkpoints(run)[:-keep]:
        shutil.rmtree(old)
    return place


def last_good(run: Path) -> str:
    """A clause for error messages: the checkpoint that a failed run leaves behind."""
    return f"the last good checkpoint is {latest_checkpoint(run) or 'none'}"


def remove_drafts(run: Path) -> None:
    """Remove checkpoints that were still being written when a run was killed."""
    for path in checkpoint_drafts(run):
        shutil.rmtree(path)


def set_aside(place: Path) -> Path:
    """Rename a damaged checkpoint, so that it no longer counts as one."""
    aside = place.with_name(f"{place.name}.damaged")
    if aside.exists():
        shutil.rmtree(aside)
    return place.rename(aside)


def damage(place: Path) -> str | None:
    """What is wrong with a checkpoint; None if it is as it was written."""
    try:
        written = read_record(place / CHECKSUMS, dict[str, str], missing=f"{CHECKSUMS} is missing")
        present = _checksums(place)
        state = load_state(place)
    except (OSError, UserError) as error:
        return str(error)
    for name in sorted({*written, *present}):
        if name not in present:
            return f"{name} is missing"
        if written.get(name) != present[name]:
            return f"{name} has changed since it was written"
    if place.name != checkpoint_folder(place, state.step).name:
        return f"it was written after step {state.step}"
    return None


def load_tensors(place: Path) -> dict[str, Any]:
    """The state of the optimiser and the engine."""
    path = place / TENSORS
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except (UnpicklingError, RuntimeError, EOFError, ValueError, LookupError) as error:
        raise UserError(
            f"{path} holds no plain tensors, and was not loaded, as it may hold a program; "
            "restore the checkpoint from a copy, or start again in another folder"
        ) from error


def load_state(place: Path) -> RunState:
    """The rest of the state, as given to save_checkpoint()."""
    return read_record(place / STATE, RunState, missing=f"{place} has no {STATE}")


def _checksums(place: Path) -> dict[str, str]:
    """The SHA-256 of every file but the one that holds them."""
    checksums: dict[str, str] = {}
    for path in sorted(place.rglob("*")):
        name = path.relative_to(place).as_posix()
        if not path.is_dir() and name != CHECKSUMS:
            with open_regular(path) as file:
                checksums[name] = hashlib.file_digest(file, "sha256").hexdigest()
    return checksums
