"""Folders of experiments in archives, and files in parts that one call can carry."""

import hashlib
import shutil
import sys
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from experiments.folders import needed_checkpoints, weigh


def split(file: Path, out: Path, size: int) -> None:
    """Write the parts of a file; their names say how many there are."""
    count = max(1, -(-file.stat().st_size // size))
    with file.open("rb") as whole:
        for number in range(1, count + 1):
            (out / f"{file.name}.{number:03}-of-{count:03}").write_bytes(whole.read(size))


def join(folder: Path) -> None:
    """Write the files whose parts are in a folder beside them."""
    found: dict[str, list[Path]] = {}
    for part in sorted(folder.glob("*.*-of-*")):
        found.setdefault(part.stem, []).append(part)
    for name, parts in found.items():
        if {part.name[-3:] for part in parts} != {f"{len(parts):03}"}:
            sys.exit(f"{folder} has {len(parts)} parts of {name}, not {parts[0].name[-3:]}")
        if not (folder / name).exists():
            with (folder / f"{name}.draft").open("wb") as whole:
                for part in parts:
                    whole.write(part.read_bytes())
            (folder / f"{name}.draft").rename(folder / name)


def unpack(folder: Path) -> None:
    """Restore what parts in a folder hold, once: what is here afterwards is newer."""
    join(folder)
    for archive in sorted(folder.glob("*.tar.gz")):
        with archive.open("rb") as file:
            done = Path("runs", ".unpacked", hashlib.file_digest(file, "sha256").hexdigest())
        if not done.exists():
            with tarfile.open(archive) as opened:
                opened.extractall(filter="data")
            done.parent.mkdir(parents=True, exist_ok=True)
            done.touch()


def contents(folder: Path, *, checkpoints: bool) -> Iterator[Path]:
    """The files of an experiment that are kept: no merged models, and of checkpoints the needed."""
    needed = {*needed_checkpoints(folder)} if checkpoints else set[Path]()
    for file in sorted(folder.rglob("*")):
        parts = {*file.relative_to(folder).parts}
        if "checkpoints" in parts:
            wanted = not needed.isdisjoint(file.parents)
        else:
            wanted = parts.isdisjoint({"exported", "model"})
        if wanted and file.is_file():
            yield file


def weigh_checkpoints(folder: Path) -> int:
    """The bytes of the checkpoints that are kept."""
    return sum(map(weigh, needed_checkpoints(folder)))


def keep(folders: Sequence[Path], packed: Path, size: int, *, checkpoints: bool) -> list[Path]:
    """Pack folders into parts of at most this size, which are all that `packed` then holds."""
    shutil.rmtree(packed, ignore_errors=True)
    packed.mkdir()
    for folder in filter(Path.exists, folders):
        file = packed / f"{folder.name}.tar.gz"
        with tarfile.open(file, "w:gz", compresslevel=1) as archive:
            for each in contents(folder, checkpoints=checkpoints):
                archive.add(each)
        split(file, packed, size)
        file.unlink()
    return [*packed.iterdir()]
