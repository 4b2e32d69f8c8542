"""Every command over folders that somebody else made, with anything in place of their files."""

import os
import shutil
import stat

import pytest
import tyro

from rlve import UserError
from rlve.evaluate.questions import Suite
from rlve.evaluate.results import read_evaluation, summarise, write_results
from rlve.foundation import run_folders
from rlve.foundation.files import append_line, check_file, write_whole
from rlve.foundation.run_folders import (
    FOLDERS,
    GROWN,
    OUTPUTS,
    REPLACED,
    alone_in,
    worked_in,
    write_settings,
)
from rlve.server.studio.folders import Folders
from rlve.train.presets import preset
from rlve.train.teaching.config import teaching_config
from support import evaluation_folders, studio_folders
from support.stopped_commands import directly, stop

NAMES = (*GROWN, *REPLACED, *FOLDERS)
OF_RUNS = (
    *"config.json metrics.jsonl validation.jsonl checkpoints report.html .lock".split(),
    *"log_id tensorboard wandb".split(),
)
OF = {
    "train": (*OF_RUNS, *"groups.jsonl rollouts.jsonl curriculum.json".split()),
    "teach": (*OF_RUNS, "examples.jsonl"),
    "eval": (
        *"plan.json suite.jsonl outputs.jsonl verdicts.jsonl".split(),
        *"results.json report.html .lock".split(),
    ),
}
SECRET = b'{"step": 1}\nno newline at the end'
COMMANDS = {
    "train": [
        "train --resume {}",
        "train --run.folder {}",
        "report {}",
        "export {} {}.exported",
    ],
    "teach": ["teach --resume {}", "teach --run.folder {}", "report {}"],
    "eval": [
        "eval --model m --url http://127.0.0.1:1 --suite few --folder {}",
        "score {}",
        "report {}",
    ],
}


def test_every_name_is_that_of_a_kind():
    assert {*NAMES} == {name for names in OF.values() for name in names}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder of each kind."""
    home = tmp_path_factory.mktemp("made")
    train = studio_folders.make_run(home / "train", steps=2)
    write_settings(train, "train", preset("nano"))
    teach = studio_folders.make_run(home / "teach", steps=2)
    write_settings(teach, "teach", teaching_config(None))
    evaluation = evaluation_folders.write(home / "eval", 0.5)
    write_results(evaluation, summarise(read_evaluation(evaluation)))
    return home


def link(path, outside):
    path.symlink_to(outside)


def dangling(path, outside):
    path.symlink_to(outside.with_name("created"))


def fifo(path, outside):
    os.mkfifo(path)


def folder(path, outside):
    path.mkdir()


def device(path, outside):
    try:
        os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 5))  # /dev/zero
    except PermissionError:
        pytest.skip("only root makes devices")


def second_name(path, outside):
    os.link(outside, path)


PLANTED = (link, dangling, fifo, folder, device, second_name)


@pytest.fixture
def stopped(monkeypatch):
    """Commands stop where work would begin: a model is built, or outputs are judged."""
    monkeypatch.setattr(tyro, "cli", directly)
    suite = Suite("few", evaluation_folders.QUESTIONS)  # reading one starts processes
    monkeypatch.setattr("rlve.cli.eval.load_suite", lambda *_: suite)
    for target in (
        "rlve.train.trainer.Run._build",
        "rlve.train.teaching.TeachingRun._build",
        "rlve.evaluate.runner.Pool",
    ):
        monkeypatch.setattr(target, stop)


@pytest.mark.parametrize("plant", PLANTED)
@pytest.mark.parametrize("kind", COMMANDS)
def test_nothing_outside_changes_and_nothing_hangs(kind, plant, made, tmp_path, rlve, stopped):
    outside = tmp_path / "outside"
    outside.mkdir()
    victim = outside / "victim"
    victim.write_bytes(SECRET)
    place = tmp_path / kind
    shutil.copytree(made / kind, place)
    for name in OF[kind]:
        kept = tmp_path / "kept"
        if there := (place / name).exists():
            (place / name).rename(kept)
        plant(place / name, victim)
        for command in COMMANDS[kind]:
            result = rlve(*command.replace("{}", str(place)).split())
            assert result.code in (0, 2), (name, command, result)
            if result.code == 2:
                assert result.err.count("rlve: ") == 1, (name, command, result.err)
            assert victim.read_bytes() == SECRET, (name, command)
            assert [*outside.iterdir()] == [victim], (name, command)
        if (place / name).is_dir() and not (place / name).is_symlink():
            shutil.rmtree(place / name)
        else:
            (place / name).unlink()
        if there:
            kept.rename(place / name)


@pytest.mark.parametrize("plant", PLANTED)
def test_the_studio_lists_folders_whatever_is_in_them(plant, made, tmp_path):
    (tmp_path / "victim").write_bytes(SECRET)
    for kind in ("train", "eval"):
        for name in OF[kind]:
            place = tmp_path / "all" / kind / name
            shutil.copytree(made / kind, place)
            if (place / name).is_dir():
                shutil.rmtree(place / name)
            (place / name).unlink(missing_ok=True)
            plant(place / name, tmp_path / "victim")
    folders = Folders([tmp_path / "all"])
    assert folders.all("train")
    assert folders.all("eval")
    assert (tmp_path / "victim").read_bytes() == SECRET


@pytest.mark.parametrize("plant", PLANTED)
def test_no_writer_goes_through_what_was_planted_after_the_check(plant, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "victim").write_bytes(SECRET)
    plant(tmp_path / OUTPUTS, outside / "victim")
    plant(tmp_path / run_folders.LOCK, outside / "victim")
    with pytest.raises(UserError, match=OUTPUTS):
        append_line(tmp_path / OUTPUTS, {})
    with pytest.raises(UserError), alone_in(tmp_path):
        pass
    assert not worked_in(tmp_path)
    if plant is not second_name:
        with pytest.raises(UserError, match=OUTPUTS):
            write_whole(tmp_path / OUTPUTS, b"")
        with pytest.raises(UserError, match=OUTPUTS):
            check_file(tmp_path / OUTPUTS)
    else:  # it is replaced, and the other name keeps what it had
        write_whole(tmp_path / OUTPUTS, b"new")
    assert (outside / "victim").read_bytes() == SECRET
    assert len([*outside.iterdir()]) == 1
