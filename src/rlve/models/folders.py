"""Turning a GGUF file, or a model on the hub, into an ordinary Hugging Face folder.

    make_folder("model.gguf", Path("model"))
    make_folder("HuggingFaceTB/SmolLM2-360M-Instruct", folder)    the hub, or another folder

The folder has the model's configuration, its sampling settings, its weights as safetensors, and its
tokenizer with the chat template: everything that transformers, vLLM and `rlve train` need.
"""

import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rlve.errors import UserError
from rlve.models.config import PolicyConfig
from rlve.models.locations import require_torch

Precision = Literal["float32", "bfloat16"]


@dataclass(frozen=True)
class MadeFolder:
    """What a folder was made of."""

    folder: Path
    parameters: int
    source: str


def make_folder(
    source: str, folder: Path, *, revision: str | None = None, dtype: Precision = "float32"
) -> MadeFolder:
    """Load a model as `rlve train` would, and save it in this precision.

    The folder appears complete, or not at all.
    """
    check_new(folder)
    require_torch("a model")
    import torch

    from rlve.models.policy import load_policy

    config = PolicyConfig(model=source, revision=revision, device="cpu")
    policy = load_policy(config, context=0)
    policy.model.to(getattr(torch, dtype))
    with new_folder(folder) as draft:
        policy.model.save_pretrained(draft)
        policy.tokenizer.save_pretrained(draft)
    return MadeFolder(folder, parameters_of(policy.model), source)


def check_new(folder: Path) -> None:
    """Raise a UserError unless a folder does not exist yet, or is empty."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} already exists; choose a new folder")


@contextmanager
def new_folder(folder: Path) -> Generator[Path]:
    """A folder to write into, which gets its real name if the block succeeds."""
    check_new(folder)
    draft = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    try:
        draft.mkdir(parents=True)
        yield draft
        if folder.is_dir():
            folder.rmdir()
        os.replace(draft, folder)
    except Exception as error:
        if (trouble := write_trouble(error)) is None:
            raise
        raise UserError(f"{folder} could not be written: {trouble}") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def write_trouble(error: Exception) -> str | None:
    """Why a model or a tokenizer could not be written; None if the error is about anything else.

    Each library has an error of its own, and tokenizers raises a bare Exception. The message is the
    operating system's, however many of them it has passed through.
    """
    from safetensors import SafetensorError

    known = isinstance(error, OSError | RuntimeError | SafetensorError)
    if not known and type(error) is not Exception:
        return None
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
        cause = cause.__cause__ or cause.__context__
    return " ".join(str(error).split())


def parameters_of(model: Any) -> int:
    return sum(parameter.numel() for parameter in model.parameters())
