"""The layout of run folders, which one module knows."""

import ast
import fcntl
import json
import os
import re
from pathlib import Path

import pytest

import rlve
from rlve.errors import FolderBusy, UserError
from rlve.foundation import run_folders
from rlve.foundation.run_folders import (
    CHECKPOINTS,
    CONFIG,
    KINDS,
    PLAN,
    alone_in,
    checkpoint_at,
    locked,
    read_settings,
    run_kind,
    settings_in,
    worked_in,
    write_settings,
)

SOURCE = Path(rlve.__file__).parent
NAMES = {
    value
    for name, value in vars(run_folders).items()
    if name.isupper() and isinstance(value, str) and ("." in value or value == CHECKPOINTS)
}
SPELLED = re.compile(rf"(?<![\w])({'|'.join(map(re.escape, NAMES - {CHECKPOINTS}))})(?!\w)")
OF_A_MODEL = {("models/locations.py", CONFIG)}


def texts(path):
    """The strings of a module, without docstrings, which may describe files."""
    if not any(name in path.read_text() for name in NAMES):
        return  # quickly, of nearly all modules
    tree = ast.parse(path.read_text())
    described = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in described:
            yield from [node.value] if isinstance(node.value, str) else []


def test_no_other_module_spells_a_name_of_the_layout():
    assert {".lock", "config.json", "metrics.jsonl", "checkpoints", "state.json"} <= NAMES
    found = {
        (module, text)
        for path in sorted(SOURCE.rglob("*.py"))
        if (module := path.relative_to(SOURCE).as_posix()) != "foundation/run_folders.py"
        for text in texts(path)
        if SPELLED.search(text) or CHECKPOINTS in text.split("/")
    }
    assert found == OF_A_MODEL


@pytest.mark.parametrize("kind", KINDS)
def test_settings_say_what_kind_of_run_they_are_of(kind, tmp_path):
    write_settings(tmp_path, kind, {"some": Path("where")})
    assert run_kind(tmp_path) == KINDS[kind]
    assert settings_in(tmp_path, kind) == {"some": "where"}
    for other in KINDS.values():
        if other.name == kind:
            continue
        why = f"a run of `rlve {kind}`, not of" if other.file == KINDS[kind].file else "it has no"
        with pytest.raises(UserError, match=why):
            read_settings(tmp_path, other.name, dict)


def test_evaluations_of_version_0_1_are_known_by_their_settings(tmp_path):
    settings = dict.fromkeys("suite model sampling version".split())
    (tmp_path / PLAN).write_text(json.dumps(settings))
    assert run_kind(tmp_path).name == "eval"
    assert read_settings(tmp_path, "eval", dict) == settings


@pytest.mark.parametrize("settings", [{"policy": 0}, {"kind": "other"}, {"kind": "eval"}])
def test_settings_of_other_programs_are_of_no_kind(settings, tmp_path):
    (tmp_path / CONFIG).write_text(json.dumps(settings))
    with pytest.raises(UserError, match="is not the folder of a training run, a run of teaching"):
        run_kind(tmp_path)
    with pytest.raises(UserError, match=r"config\.json does not hold the settings of a training"):
        settings_in(tmp_path, "train")


def test_a_checkpoint_is_known_by_its_path():
    run = Path("some/run")
    for path in ("some/run/checkpoints/step-000040", "some/run/checkpoints/step-000040/model/"):
        assert checkpoint_at(Path(path)) == (run, 40)
        assert checkpoint_at(Path(path)).folder == run / "checkpoints" / "step-000040"
    for path in ("some/run", "some/run/checkpoints", "step-000040", "some/run/checkpoints/latest"):
        assert checkpoint_at(Path(path)) is None


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
    monkeypatch.setattr(
        run_folders.time, "sleep", lambda seconds: looking.close()
    )  # until they are done
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
