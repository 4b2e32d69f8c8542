"""The runs and evaluations inside the given folders.

A request names one by its id, which is looked up among those found earlier: no path from a request
reaches the file system. A link out of a folder is not followed.
"""

import os
import re
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from rlve.errors import UserError
from rlve.foundation.files import shortest_names
from rlve.foundation.run_folders import (
    CHECKPOINTS,
    CONFIG,
    KINDS,
    METRICS,
    OUTPUTS,
    PLAN,
    RESULTS,
    SUITE,
    VALIDATION,
    run_kind,
)

Kind: TypeAlias = Literal["train", "teach", "eval", "frontier"]

DEEP: Final = 4  # how many levels below a given folder to search
FRESH: Final = 2.0  # seconds before the folders are searched again
SKIPPED: Final = frozenset({CHECKPOINTS, "node_modules", "__pycache__"})
SHOWN: Final[tuple[Kind, ...]] = get_args(Kind)
RUNS: Final[tuple[Kind, ...]] = ("train", "teach")  # what the table of runs shows
TRACES: Final = (METRICS, VALIDATION, OUTPUTS, SUITE)  # files that only a run leaves behind


class NotThere(UserError, LookupError):
    """There is no run or evaluation with that id."""


class Found(NamedTuple):
    """A run or an evaluation."""

    id: str
    kind: Kind
    folder: Path  # resolved, and inside a given folder
    name: str  # for people; no other of its kind has it

    def file(self, name: str) -> Path:
        """A file in the folder; a link out of it is refused."""
        path = self.folder / name
        if path.is_symlink() and not path.resolve().is_relative_to(self.folder):
            raise UserError(f"{self.name}: {name} is a link out of the folder")
        return path

    def stamp(self, *names: str) -> tuple[tuple[int, int], ...]:
        """When these files were last written, in nanoseconds, and their sizes; 0 without one."""
        return tuple(_stamp(self.file(name)) for name in names)

    def written(self) -> float:
        """When its records were last written, in seconds since 1970."""
        return max(when for when, _ in self.stamp(METRICS, VALIDATION, CONFIG, PLAN, RESULTS)) / 1e9


def _stamp(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size


class Folders:
    """The folders that the studio shows."""

    def __init__(self, roots: Iterable[Path]) -> None:
        self.roots = [root.resolve() for root in roots]
        self._lock = threading.Lock()
        self._found: dict[str, Found] = {}
        self._ids: dict[Path, str] = {}
        self._damaged: dict[str, str] = {}
        self._since = -FRESH

    def all(self, *kinds: Kind) -> list[Found]:
        """All that is of these kinds, the latest first."""
        self._look()
        matching = [found for found in self._found.values() if found.kind in kinds]
        return sorted(matching, key=lambda found: -_last_change(found.folder))

    def find(self, name: str, *kinds: Kind) -> Found:
        """What has that id, and is of one of these kinds."""
        self._look()
        found = self._found.get(name)
        if found is None or found.kind not in kinds:
            what = KINDS[kinds[0]].what.partition(" ")[2]
            raise NotThere(f"there is no {what} {name!r} in the folders of this studio")
        return found

    def damaged(self) -> list[str]:
        """The folders that hold a run whose settings cannot be read, each with the reason."""
        self._look()
        return [f"{name}: {reason}" for name, reason in self._damaged.items()]

    def rank(self, found: Found) -> int:
        """A number that it keeps while the studio runs: the order in which they were found."""
        return list(self._ids).index(found.folder) if found.folder in self._ids else 0

    def _look(self) -> None:
        with self._lock:
            if time.monotonic() - self._since < FRESH:
                return
            names: dict[Kind, dict[Path, str]] = {kind: {} for kind in SHOWN}
            damaged: dict[str, str] = {}
            for root in self.roots:
                for folder, kind in _below(root, root, DEEP):
                    if isinstance(kind, UserError):
                        damaged[_name(folder, root)] = str(kind)
                    else:
                        names[kind].setdefault(folder, _name(folder, root))
            self._damaged = damaged
            found = (
                Found(self._id(folder, name), kind, folder, name)
                for kind in SHOWN
                for folder, name in _shortest_names(names[kind])
            )
            self._found = {each.id: each for each in found}
            self._since = time.monotonic()

    def _id(self, folder: Path, name: str) -> str:
        """A permanent id: links keep their meaning while the studio runs."""
        if folder not in self._ids:
            base = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "folder"
            taken = set(self._ids.values())
            many = (f"{base}-{number}" for number in range(2, len(taken) + 3))
            self._ids[folder] = next(i for i in (base, *many) if i not in taken)
        return self._ids[folder]


def _name(folder: Path, root: Path) -> str:
    below = folder.relative_to(root)
    return str(below) if below.parts else folder.name


def _shortest_names(names: dict[Path, str]) -> Iterator[tuple[Path, str]]:
    """The folders with these names, or longer ones where several have the same."""
    lengths = {folder.parts: len(Path(name).parts) for folder, name in names.items()}
    return zip(names, shortest_names(lengths).values(), strict=True)


def _below(folder: Path, root: Path, deep: int) -> Iterator[tuple[Path, Kind | UserError]]:
    kind = _kind(folder)
    if kind is not None:
        yield folder, kind
        return
    if deep:
        yield from _inside(folder, root, deep)


def _inside(folder: Path, root: Path, deep: int) -> Iterator[tuple[Path, Kind | UserError]]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:  # it is gone, or not ours to read
        return
    for entry in entries:
        if entry.name.startswith(".") or entry.name in SKIPPED or not _is_folder(entry):
            continue
        inner = Path(entry.path).resolve()
        if inner.is_relative_to(root):
            yield from _below(inner, root, deep - 1)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself, or into a folder that is not ours to read
        return False


def _kind(folder: Path) -> Kind | UserError | None:
    """What a folder holds; an error if that was a run, but cannot be read."""
    try:
        found = run_kind(folder).name
    except UserError as error:  # none, some other program's, or a damaged one
        return error if _was_run(folder) else None
    except OSError:  # not ours to read
        return None
    return next((kind for kind in SHOWN if kind == found), None)


def _was_run(folder: Path) -> bool:
    try:
        settings = any((folder / name).is_file() for name in (CONFIG, PLAN))
        return settings and any((folder / name).is_file() for name in TRACES)
    except OSError:
        return False


def _last_change(folder: Path) -> float:
    try:
        return max((entry.stat().st_mtime for entry in os.scandir(folder)), default=0.0)
    except OSError:
        return 0.0
