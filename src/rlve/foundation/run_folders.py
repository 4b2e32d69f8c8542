"""The folders of runs: the names of their files, their checkpoints, and what kind of run they hold.

    rlve train        config.json, metrics.jsonl, validation.jsonl, groups.jsonl, rollouts.jsonl,
                      curriculum.json, checkpoints/
    rlve teach        config.json, metrics.jsonl, validation.jsonl, examples.jsonl, checkpoints/
    rlve eval         plan.json, suite.jsonl, outputs.jsonl, verdicts.jsonl, results.json
    rlve frontier     the same; the suite grows

Each has a report.html in the end. A checkpoint is checkpoints/step-000040, with an ordinary Hugging
Face model in model/. No other module spells these names.
"""

import contextlib
import fcntl
import os
import re
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, TypeVar

import msgspec

from rlve.errors import FolderBusy, UserError
from rlve.foundation.files import check_file, open_grown, pretty, read_record, write_whole

T = TypeVar("T")

CONFIG: Final = "config.json"
PLAN: Final = "plan.json"
METRICS: Final = "metrics.jsonl"
VALIDATION: Final = "validation.jsonl"
GROUPS: Final = "groups.jsonl"
ROLLOUTS: Final = "rollouts.jsonl"
EXAMPLES: Final = "examples.jsonl"
CURRICULUM: Final = "curriculum.json"
CHECKPOINTS: Final = "checkpoints"
SUITE: Final = "suite.jsonl"
OUTPUTS: Final = "outputs.jsonl"
VERDICTS: Final = "verdicts.jsonl"
RESULTS: Final = "results.json"
REPORT: Final = "report.html"
LOG_ID: Final = "log_id"
TENSORBOARD: Final = "tensorboard"
WANDB: Final = "wandb"
LOCK: Final = ".lock"

GROWN: Final = (METRICS, VALIDATION, GROUPS, ROLLOUTS, EXAMPLES, OUTPUTS, VERDICTS, LOCK)
"""Files that are written to in place."""
REPLACED: Final = (CONFIG, PLAN, CURRICULUM, SUITE, RESULTS, REPORT, LOG_ID)
"""Files that are written once, or replaced."""
FOLDERS: Final = (CHECKPOINTS, TENSORBOARD, WANDB)

# In a checkpoint:
MODEL: Final = "model"
STATE: Final = "state.json"
TENSORS: Final = "tensors.pt"
CHECKSUMS: Final = "checksums.json"


# What kind of run a folder holds.


class RunKind(NamedTuple):
    """A kind of run; its settings carry its name as their `kind`."""

    name: str  # that of the command
    what: str
    file: str  # with the settings


KINDS: Final = {
    kind.name: kind
    for kind in (
        RunKind("train", "a training run", CONFIG),
        RunKind("teach", "a run of teaching", CONFIG),
        RunKind("eval", "an evaluation", PLAN),
        RunKind("frontier", "a frontier", PLAN),
    )
}
OLD: Final = frozenset({"suite", "model", "sampling"})  # in an evaluation's settings of version 0.1


def run_kind(folder: Path) -> RunKind:
    """What a folder holds; a UserError if it is none of these, or several."""
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder}")
    found = [kind for file in (CONFIG, PLAN) if (kind := _kind_in(folder / file))]
    if len(found) == 1:
        return found[0]
    if found:
        raise UserError(
            f"{folder} is the folder of {' and of '.join(kind.what for kind in found)}, so it is "
            "not clear which is meant; move one of them to another folder"
        )
    *names, last = (kind.what for kind in KINDS.values())
    raise UserError(f"{folder} is not the folder of {', '.join(names)} or {last}")


def _kind_in(path: Path) -> RunKind | None:
    """The kind of run that has these settings."""
    if not path.exists():
        return None
    settings = read_record(path, dict[str, Any], missing=f"{path} has disappeared")
    name = settings.get("kind", "eval" if settings.keys() >= OLD else None)
    kinds = KINDS.values()
    return next((kind for kind in kinds if (kind.name, kind.file) == (name, path.name)), None)


def with_kind(kind: str, settings: Any) -> bytes:
    """The contents of the file with the settings of a run."""
    return pretty({"kind": kind, **msgspec.to_builtins(settings, enc_hook=str)})


def write_settings(folder: Path, kind: str, settings: Any) -> None:
    """Write the settings of a run of this kind into its folder."""
    write_whole(folder / KINDS[kind].file, with_kind(kind, settings))


def read_settings(folder: Path, kind: str, record: type[T]) -> T:
    """The settings of a run of this kind; a UserError if the folder holds none, or another."""
    wanted = KINDS[kind]
    path = folder / wanted.file
    missing = f"{folder} is not the folder of {wanted.what}: it has no {wanted.file}"
    found = _kind_in(path) if path.exists() else wanted
    if found is None:
        raise UserError(f"{path} does not hold the settings of {wanted.what}")
    if found != wanted:
        raise UserError(f"{folder} is a run of `rlve {found.name}`, not of `rlve {kind}`")
    return read_record(path, record, missing=missing)


def settings_in(folder: Path, kind: str) -> dict[str, Any]:
    """The same as plain JSON, without their kind."""
    settings = read_settings(folder, kind, dict[str, Any])
    return {key: value for key, value in settings.items() if key != "kind"}


# Checkpoints.

_NAME: Final = re.compile(r"step-\d{6,}", re.ASCII)
_DRAFT: Final = re.compile(r"\.step-\d{6,}\.\d+", re.ASCII)


def checkpoint_folder(run: Path, step: int) -> Path:
    """The checkpoint of a run after a step."""
    return run / CHECKPOINTS / f"step-{step:06d}"


def checkpoint_draft(run: Path, step: int) -> Path:
    """Where this process writes such a checkpoint, until it is complete."""
    return run / CHECKPOINTS / f".step-{step:06d}.{os.getpid()}"


def checkpoint_drafts(run: Path) -> list[Path]:
    """The checkpoints that are still being written, or were when the run was killed."""
    return [path for path in _subfolders(run / CHECKPOINTS) if _DRAFT.fullmatch(path.name)]


def checkpoints(run: Path) -> list[Path]:
    """The checkpoints of a run, the latest last. Anything with another name is left alone."""
    found = [path for path in _subfolders(run / CHECKPOINTS) if _NAME.fullmatch(path.name)]
    return sorted(found, key=step_of)


def step_of(checkpoint: Path) -> int:
    """The step after which a checkpoint was saved."""
    return int(checkpoint.name.removeprefix("step-"))


def latest_checkpoint(run: Path) -> Path | None:
    """The checkpoint with the highest step."""
    return next(reversed(checkpoints(run)), None)


def _subfolders(folder: Path) -> list[Path]:
    entries = folder.iterdir() if folder.is_dir() else ()
    return [path for path in entries if path.is_dir() and not path.is_symlink()]


class CheckpointPlace(NamedTuple):
    """A checkpoint by its path, whether or not it exists."""

    run: Path
    step: int

    @property
    def folder(self) -> Path:
        return checkpoint_folder(self.run, self.step)


def checkpoint_at(path: Path) -> CheckpointPlace | None:
    """The checkpoint at RUN/checkpoints/STEP, or at the folder model in it."""
    place = path.parent if path.name == MODEL else path
    if not _NAME.fullmatch(place.name) or place.parent.name != CHECKPOINTS:
        return None
    return CheckpointPlace(place.parent.parent, step_of(place))


# One writer at a time, and only in the folder itself.


def check_own(folder: Path) -> None:
    """Refuse a folder in which anything that we write to is a link or a special file.

    The folder may come from somebody else, and a link in it may lead to any of our files.
    """
    for name in GROWN:
        check_file(folder / name, grows=True)
    for name in REPLACED:
        check_file(folder / name)
    for name in FOLDERS:
        check_folder(folder, folder / name)


def check_folder(root: Path, folder: Path) -> None:
    """Refuse a folder below another if a link leads to it, or if it is a file."""
    for part in (folder, *folder.parents):
        if part == root:
            return
        if part.is_symlink():
            raise UserError(f"{part} is a link; replace it with what it links to")
        if not part.is_dir() and os.path.lexists(part):
            raise UserError(f"cannot write to {part}: it is not a folder")


@contextlib.contextmanager
def locked(folder: Path) -> Generator[None]:
    """Keep a second process from writing to the same folder. The lock ends with its process."""
    with alone_in(folder) as alone:
        if not alone:
            raise FolderBusy(f"another process is working in {folder}")
        yield


@contextlib.contextmanager
def alone_in(folder: Path) -> Generator[bool]:
    """Whether this process holds the folder's lock while the block runs.

    A folder with links or special files among ours is refused before.
    """
    check_own(folder)
    try:  # on NFS, only what may be read can be shared
        file = open_grown(folder / LOCK, os.O_RDWR | os.O_CREAT)
    except FileNotFoundError:
        raise UserError(f"there is no folder {folder}") from None
    with file:
        yield _taken(file)


def worked_in(folder: Path) -> bool:
    """Whether a process holds the folder's lock. Looking keeps no process from taking it."""
    try:
        with open_grown(folder / LOCK, os.O_RDONLY) as file:
            return not _free(file)
    except (OSError, UserError):  # no lock: a copy, or an early run; or none of ours
        return False


def _taken(file: BinaryIO) -> bool:
    """Take a lock for ourselves, unless it is taken; wait for those who only look at it."""
    while not _locks(file, fcntl.LOCK_EX):
        if not _free(file):
            return False
        time.sleep(0.001)  # they look for microseconds
    return True


def _free(file: BinaryIO) -> bool:
    """Whether nobody has taken a lock for themselves. To see this, it is shared for a moment."""
    if not _locks(file, fcntl.LOCK_SH):
        return False
    fcntl.flock(file, fcntl.LOCK_UN)  # closing is not enough: a process forked now has the file
    return True


def _locks(file: BinaryIO, how: int) -> bool:
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
