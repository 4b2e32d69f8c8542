"""Exporting as a library call; tests/cli/test_dataset.py tries the command."""

import pytest

import rlve
from rlve.datasets import shards
from rlve.datasets.export import export
from rlve.errors import UserError
from rlve.formats import PLAIN
from rlve.pool import Pool

SORTING, DIVISION = rlve.environment("Sorting"), rlve.environment("Division")


@pytest.fixture(scope="module")
def pool():
    with Pool(1) as pool:
        yield pool


def test_rows_are_written_as_they_come_and_counted(pool):
    rows, seen = [], []
    exported = export(
        *([SORTING, DIVISION], pool, rows.append),
        count=10,
        difficulties=[0, 2],
        format=PLAIN,
        watch=lambda written, wanted: seen.append((written, wanted)),
    )
    assert seen == [(written, 10) for written in range(11)]
    assert (exported.written, exported.missing, exported.exhausted) == (10, 0, [])
    assert len({row.prompt for row in rows}) == 10
    assert all(row.prompt == PLAIN.render(row.problem()) for row in rows)
    again = []
    export([SORTING, DIVISION], pool, again.append, count=10, difficulties=[0, 2], format=PLAIN)
    assert again == rows


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"count": 0}, "at least 1, not 0"),
        ({"difficulties": [-1]}, "a difficulty must be an integer"),
    ],
)
def test_what_cannot_be_meant_writes_nothing(pool, options, message):
    rows = []
    with pytest.raises(UserError, match=message):
        export([SORTING], pool, rows.append, **options)
    assert rows == []


def test_shards_that_fail_leave_nothing_in_the_way(tmp_path, monkeypatch):
    def fail(path):
        raise UserError("Parquet files need pyarrow")

    monkeypatch.setattr(shards, "row_writer", fail)
    folder = tmp_path / "deep" / "made"
    for _ in range(2):  # the second time it is no different
        with pytest.raises(UserError, match="pyarrow"), shards.shard_writer(folder) as write:
            write(None)
        assert not folder.exists()
    folder.mkdir(parents=True)
    (folder / "mine").touch()
    with pytest.raises(UserError, match="not an empty folder"), shards.shard_writer(folder):
        pass
    assert (folder / "mine").exists()
