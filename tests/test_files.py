"""Files that are replaced, and locks: one process works in a folder, and others may look."""

import fcntl
import os

import pytest

from rlve import files
from rlve.errors import FolderBusy
from rlve.files import alone_in, locked, remove_drafts, replacing, worked_in


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


def test_a_folder_is_worked_in_while_its_lock_is_held(tmp_path):
    assert not worked_in(tmp_path)  # and looking leaves nothing behind
    assert not list(tmp_path.iterdir())
    with locked(tmp_path):
        assert worked_in(tmp_path)
        with alone_in(tmp_path) as alone:
            assert not alone
        with pytest.raises(FolderBusy, match="another process is working in"):
            locked(tmp_path).__enter__()
    assert not worked_in(tmp_path)


def test_those_who_look_keep_nobody_from_working(tmp_path, monkeypatch):
    with locked(tmp_path):
        pass
    looking = (tmp_path / ".lock").open("rb")
    fcntl.flock(looking, fcntl.LOCK_SH)
    monkeypatch.setattr(files.time, "sleep", lambda seconds: looking.close())  # until they are done
    with alone_in(tmp_path) as alone:
        assert alone
        assert looking.closed
        assert worked_in(tmp_path)


def test_a_process_that_is_forked_during_a_look_keeps_nobody_from_working(tmp_path, monkeypatch):
    with locked(tmp_path):
        pass
    flock = fcntl.flock
    inherited = []

    def forked(file, how):
        flock(file, how)
        if how & fcntl.LOCK_SH:
            inherited.append(os.dup(file.fileno()))

    with monkeypatch.context() as during:
        during.setattr(fcntl, "flock", forked)
        assert not worked_in(tmp_path)
    (copy,) = inherited
    with (tmp_path / ".lock").open("rb") as file:
        flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(copy)
