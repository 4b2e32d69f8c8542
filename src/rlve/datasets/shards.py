"""Rows in a folder that a data hub takes as it is: Parquet shards of bounded size."""

from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from typing import Final

from rlve.datasets.rows import ProblemRow, RowWriter, row_writer
from rlve.errors import UserError

SHARD: Final = 50_000  # rows
DATA: Final = "data"
CARD: Final = "README.md"


def shard_path(folder: Path, number: int) -> Path:
    """The file of a shard; hubs and loaders know the split by its name."""
    return folder / DATA / f"train-{number:05d}.parquet"


@contextmanager
def shard_writer(folder: Path, size: int = SHARD) -> Generator[RowWriter]:
    """Write rows to shards in a new folder, which is removed if they do not all get there."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} exists and is not an empty folder; choose another")
    (folder / DATA).mkdir(parents=True, exist_ok=True)
    written = 0
    whole = False
    try:
        with ExitStack() as shards:
            opened: list[RowWriter] = []

            def write(row: ProblemRow) -> None:
                nonlocal written
                if written % size == 0:
                    shards.close()
                    shard = shard_path(folder, written // size)
                    opened[:] = [shards.enter_context(row_writer(shard))]
                opened[0](row)
                written += 1

            yield write
        whole = written > 0
    finally:
        if not whole:  # it would be in the way next time
            rmtree(folder / DATA)
            with suppress(OSError):
                folder.rmdir()
