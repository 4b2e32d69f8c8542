"""Where a model is: in this package, in a folder, in a file, or on the hub. Needs no torch.

A name that leads nowhere fails here at once; transformers would ask the hub for it again and again,
for most of a minute.
"""

import difflib
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Any

from rlve.errors import UserError, require
from rlve.foundation.run_folders import CHECKPOINTS, MODEL, checkpoint_at, latest_checkpoint
from rlve.models.config import PolicyConfig

NANO = Path(str(files("rlve.models"))) / "nano"
"""The folder of the embedded policy."""

SETTINGS = "config.json"  # of a Hugging Face model, in its folder
ADAPTER_SETTINGS = "adapter_config.json"
HUB_TIMEOUT = 10.0  # seconds allowed for the hub's answer


def require_torch(what: str = "training") -> None:
    """Raise a UserError unless torch and transformers are installed, and torch can be imported."""
    try:
        tempfile.gettempdir()
    except FileNotFoundError:
        raise UserError(
            f"no folder for temporary files can be written to, and torch needs one for {what}: set "
            "TMPDIR"
        ) from None
    require("torch", extra="train", at_least="2.8", what=what)
    require("transformers", extra="train", at_least="5.10", what=what)


def is_gguf(model: str) -> bool:
    """Whether a model is given as a GGUF file."""
    return model.endswith(".gguf")


def place_of(config: PolicyConfig) -> tuple[str, dict[str, Any]]:
    """Where a model is, and the options that transformers needs to read it from there."""
    place = str(NANO) if config.model == "nano" else config.model
    inside = Path(place) / MODEL
    if (inside / SETTINGS).exists() and not (Path(place) / SETTINGS).exists():
        place = str(inside)  # a checkpoint of `rlve train`
    # True would run Python files that come with the weights; unset, transformers would offer to.
    options: dict[str, Any] = {"trust_remote_code": False}
    return place, options | ({"revision": config.revision} if config.revision else {})


def source_of(config: PolicyConfig) -> tuple[str, dict[str, Any]]:
    """The same for `from_pretrained`, which takes a file as an option of its folder."""
    place, options = place_of(config)
    if is_gguf(place):
        return str(Path(place).parent), options | {"gguf_file": Path(place).name}
    return place, options


def check_model(config: PolicyConfig) -> None:
    """Raise a UserError if there is no model of that name, here or on the hub."""
    name = place_of(config)[0]
    path = Path(name)
    if path.is_dir():
        _check_folder(path)
    elif is_gguf(name):
        if not path.is_file():
            raise UserError(f"there is no file {path}{_near(path)}")
        require("gguf", extra="gguf", at_least="0.17", what="reading a GGUF file")
    elif path.exists():
        raise UserError(
            f"{path} is not a model; a model is a folder, a name on the hub or a GGUF file"
        )
    elif name.startswith((".", "/", "~")) or name.endswith("/") or name.count("/") > 1:
        raise UserError(f"there is no folder {name}{_near(path)}")
    else:
        _ask_hub(config)


def _check_folder(folder: Path) -> None:
    if (folder / CHECKPOINTS).is_dir():
        latest = latest_checkpoint(folder)
        hint = (
            f"; its latest model is {latest / MODEL}" if latest else ", and has no checkpoint yet"
        )
        raise UserError(f"{folder} is the folder of a run, not of a model{hint}")
    if (folder / SETTINGS).exists():
        return
    if any((place / ADAPTER_SETTINGS).exists() for place in (folder, folder / MODEL)):
        place = checkpoint_at(folder)
        what = f"{place.run} FOLDER --checkpoint {place.step}" if place else "RUN FOLDER"
        raise UserError(
            f"{folder} holds adapters, not a whole model; merge them into one with: "
            f"rlve export {what}"
        )
    raise UserError(f"{folder} is not the folder of a model: it has no {SETTINGS}")


def _near(path: Path) -> str:
    """A hint at a file or folder nearby with a similar name."""
    names = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
    near = difflib.get_close_matches(path.name, names, n=1)
    return f"; did you mean {path.parent / near[0]}?" if near else ""


def _ask_hub(config: PolicyConfig) -> None:
    """Ask the hub once, unless the model has already been downloaded."""
    from huggingface_hub import get_hf_file_metadata, hf_hub_url, try_to_load_from_cache
    from huggingface_hub.errors import (
        GatedRepoError,
        HFValidationError,
        RemoteEntryNotFoundError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    name, revision = config.model, config.revision
    near = _near(Path(name))
    if not near and difflib.get_close_matches(name, ["nano"]):
        near = "; did you mean nano?"
    try:
        if isinstance(try_to_load_from_cache(name, SETTINGS, revision=revision), str):
            return
        url = hf_hub_url(name, SETTINGS, revision=revision)
        get_hf_file_metadata(url, timeout=HUB_TIMEOUT)
    except GatedRepoError:
        raise UserError(
            f"the hub requires you to accept the terms of {name}; do so on its page, and log in "
            "with: hf auth login"
        ) from None
    except (RepositoryNotFoundError, HFValidationError):
        raise UserError(f"no folder or model on the hub is named {name!r}{near}") from None
    except RevisionNotFoundError:
        raise UserError(f"{name} has no revision {revision!r} on the hub") from None
    except RemoteEntryNotFoundError:
        raise UserError(f"{name} is not a model: it has no {SETTINGS} on the hub") from None
    except Exception as error:  # noqa: BLE001  its HTTP library, and so its errors, vary
        why = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise UserError(
            f"there is no folder {name} here, and the hub cannot be reached to look for a model of "
            f"that name: {why}{near}"
        ) from None
