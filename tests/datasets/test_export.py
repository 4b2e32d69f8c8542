"""Exporting as a library call; tests/cli/test_dataset.py tries the command."""

import pytest

import rlve
from rlve.datasets.export import export
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
