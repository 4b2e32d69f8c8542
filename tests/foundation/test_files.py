"""Files that are replaced, and locks: one process works in a folder, and others may look."""

import os
from typing import Any

import msgspec
import pytest

from rlve import UserError
from rlve.foundation import files
from rlve.foundation.files import (
    last_lines,
    numbered_lines,
    read_lines,
    read_measured,
    read_record,
    remove_drafts,
    replacing,
)


class Measured(msgspec.Struct):
    step: int
    loss: float | dict[str, float] = 0.0


def test_two_writers_that_replace_a_file_at_once_have_a_draft_each(tmp_path):
    path = tmp_path / "state.json"
    with replacing(path) as first:
        first.write(b"first")
        with replacing(path) as second:
            second.write(b"second")
            drafts = list(tmp_path.iterdir())
            assert len(drafts) == 2
        assert path.read_bytes() == b"second"
    assert path.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [path]
    for draft in drafts:  # as if the writers had been killed
        draft.touch()
    remove_drafts(tmp_path)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "read",
    [
        lambda path: read_record(path, dict, missing="missing"),
        lambda path: read_lines(path, dict),
        lambda path: last_lines(path, dict, 1),
        lambda path: list(numbered_lines(path)),
    ],
)
def test_only_regular_files_are_read(read, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    for name in ("pipe", "zero"):
        with pytest.raises(UserError, match=f"{name} cannot be read: it is not a regular file"):
            read(tmp_path / name)


def test_sizes_and_nesting_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "RECORD", 10_000)
    monkeypatch.setattr(files, "LINE", 1_000)
    path = tmp_path / "record.json"
    for content, why in (
        (b'"' + b"x" * 10_000 + b'"', "it has more than 10,000 bytes"),
        (b"[" * 100 + b"]" * 100, "nested more than 64 levels deep"),
        (b"[" * 5_000 + b"]" * 5_000, "is damaged"),
    ):
        path.write_bytes(content)
        with pytest.raises(UserError, match=why):
            read_record(path, Any, missing="missing")
    path.write_bytes(b'"' + b"x" * 1_000 + b'"\n')
    with pytest.raises(UserError, match="it has a line of more than 1,000 bytes"):
        read_lines(path, str)


@pytest.mark.parametrize(
    "damaged",
    [
        "{",
        "[" * 5_000,
        '{"step": 1, "loss": 1e308}',
        '{"step": 1, "loss": {"a": -1e308}}',
        '{"step": 1000000000000}',
        '{"step": -1}',
        '{"step": %s}' % ("9" * 400),
    ],
)
def test_a_damaged_line_of_measurements_costs_that_line(damaged, tmp_path, caplog):
    path = tmp_path / "metrics.jsonl"
    path.write_text('{"step": 1, "loss": 0.5}\n' + damaged + '\n{"step": 3}\n{"step":')
    assert [record.step for record in read_measured(path, Measured)] == [1, 3]
    (notice,) = caplog.messages
    assert notice.startswith(str(path))
    assert notice.endswith("the line was left out")
