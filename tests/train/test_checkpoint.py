"""What is done to the folder of a run while nobody is looking, and when the disk is full."""

import errno
import hashlib
import os
import resource
import shutil
from contextlib import contextmanager

import msgspec
import pytest
import torch
from safetensors.torch import load_file

import rlve
from rlve.foundation.run_folders import CHECKSUMS, STATE, TENSORS, checkpoints, latest_checkpoint
from rlve.train.checkpoint import damage
from rlve.train.history import read_steps
from rlve.train.trainer import Run, train
from support.run_tiny import tiny_config

STEPS = 7  # with checkpoints after 3, 6 and 7, of which the last two are kept


@pytest.fixture(scope="module")
def whole(tiny_policy, tmp_path_factory):
    """The folder of a run that nothing has happened to."""
    folder = tmp_path_factory.mktemp("runs") / "whole"
    train(config_of(tiny_policy, folder))
    return folder


@pytest.fixture
def folder(whole, tmp_path):
    return shutil.copytree(whole, tmp_path / "run")


def config_of(policy, folder):
    return tiny_config(policy, folder, steps=STEPS)


def resumed(policy, folder):
    return train(config_of(policy, folder), resume=True)


def assert_same(folder, whole, missing=()):
    expected = [step for step in timeless(whole) if step["step"] not in missing]
    assert timeless(folder) == expected
    mine, theirs = weights(folder), weights(whole)
    assert all(torch.equal(mine[name], theirs[name]) for name in theirs)


def timeless(folder):
    return [msgspec.to_builtins(step) | {"seconds": None} for step in read_steps(folder)]


def weights(folder):
    return load_file(latest_checkpoint(folder) / "model" / "model.safetensors")


def names(folder):
    return sorted(path.name for path in (folder / "checkpoints").iterdir())


# Which folders are checkpoints.


def test_checkpoints_are_known_by_their_exact_names_and_ordered_by_number(tmp_path):
    real = ["step-000009", "step-000010", "step-999999", "step-1000000", "step-1000001"]
    others = [
        "step-1000002.damaged",
        "step-12",
        "step-000010-copy",
        "step-00001x",
        "old-step-000099",
    ]
    others += [".step-000011.1234", "step-٠٠٠٠٩٩"]
    place = tmp_path / "checkpoints"
    for name in [*real, *others]:
        (place / name).mkdir(parents=True)
    (place / "step-2000000").write_text("a file")
    (place / "step-3000000").symlink_to(place / "step-000009")
    assert [path.name for path in checkpoints(tmp_path)] == real
    assert latest_checkpoint(tmp_path).name == "step-1000001"
    assert checkpoints(tmp_path / "nowhere") == []


def test_what_a_kill_left_half_written_is_removed_at_the_next_start(tiny_policy, folder, whole):
    half = folder / "checkpoints" / ".step-000005.4711"
    (half / "model").mkdir(parents=True)
    (half / "model" / "model.safetensors").write_text("half")
    (folder / ".config.json.4711.part").write_text("{")
    (folder / ".notes").write_text("somebody's own")
    resumed(tiny_policy, folder)
    assert names(folder) == ["step-000006", "step-000007"]
    assert {path.name for path in folder.iterdir() if path.name.startswith(".")} == {
        ".lock",
        ".notes",
    }


# Damage.


def cut(path):
    path.write_bytes(path.read_bytes()[:-7])


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("model/model.safetensors", flip),
        ("model/config.json", os.unlink),
        (TENSORS, cut),
        (STATE, flip),
        (CHECKSUMS, os.unlink),
        (CHECKSUMS, cut),
    ],
)
def test_a_damaged_checkpoint_is_named_and_the_one_before_it_is_used(
    tiny_policy, folder, whole, caplog, name, spoil
):
    spoil(folder / "checkpoints" / "step-000007" / name)
    resumed(tiny_policy, folder)
    assert_same(folder, whole)
    [message] = [record.getMessage() for record in caplog.records]
    assert message.startswith(f"the checkpoint {folder / 'checkpoints' / 'step-000007'} is damaged")
    assert message.endswith("renamed it to " + str(folder / "checkpoints" / "step-000007.damaged"))
    assert names(folder) == ["step-000006", "step-000007", "step-000007.damaged"]


def test_where_all_are_damaged_the_run_is_refused_with_a_way_out(tiny_policy, folder):
    for place in checkpoints(folder):
        flip(place / STATE)
    with pytest.raises(rlve.UserError, match=r"step-000007 is damaged \(.*restore it from a copy"):
        resumed(tiny_policy, folder)


def test_a_checkpoint_under_the_name_of_another_step_is_damaged(folder):
    place = (folder / "checkpoints" / "step-000007").rename(folder / "checkpoints" / "step-000008")
    assert damage(place) == "it was written after step 7"
    assert damage(folder / "checkpoints" / "step-000006") is None


def test_a_damaged_line_is_left_out(tiny_policy, folder, whole, caplog):
    metrics = folder / "metrics.jsonl"
    lines = metrics.read_bytes().splitlines(keepends=True)
    metrics.write_bytes(b"".join([*lines[:2], b"{glued" + lines[2], *lines[3:]]))
    resumed(tiny_policy, folder)
    assert_same(folder, whole, missing={3})
    assert "a damaged line" in caplog.text


# Nothing outside the run's folder is ever touched.


def test_no_number_or_name_in_a_checkpoint_says_what_is_cut_off(tiny_policy, folder, whole):
    victim = folder.parent / "victim"
    victim.write_text("do not touch")
    place = folder / "checkpoints" / "step-000007"
    state = msgspec.json.decode((place / STATE).read_bytes())
    state["bytes"] = {"../victim": 0, str(victim): 0, "metrics.jsonl": 0}
    (place / STATE).write_bytes(msgspec.json.encode(state))
    known = msgspec.json.decode((place / CHECKSUMS).read_bytes())
    known[STATE] = hashlib.sha256((place / STATE).read_bytes()).hexdigest()
    known["../../../victim"] = "0"
    (place / CHECKSUMS).write_bytes(msgspec.json.encode(known))
    resumed(tiny_policy, folder)
    assert victim.read_text() == "do not touch"
    assert_same(folder, whole)


@pytest.mark.parametrize(
    "name", ["config.json", "metrics.jsonl", "rollouts.jsonl", "curriculum.json", "checkpoints"]
)
def test_a_name_that_leads_out_of_the_folder_is_refused(tiny_policy, folder, name):
    outside = folder.parent / "outside"
    (folder / name).rename(outside)
    (folder / name).symlink_to(outside)
    before = {path: path.read_bytes() for path in folder.parent.rglob("*") if path.is_file()}
    with pytest.raises(rlve.UserError, match=f"{name} is a link; replace it with what it links to"):
        resumed(tiny_policy, folder)
    assert before == {path: path.read_bytes() for path in before}


def test_a_run_in_a_folder_that_is_reached_by_a_link_goes_on(tiny_policy, folder, whole):
    shutil.rmtree(folder / "checkpoints" / "step-000007")
    link = folder.parent / "link"
    link.symlink_to(folder)
    resumed(tiny_policy, link)
    assert_same(folder, whole)


class Planted:
    """What runs a program when it is unpickled."""

    def __reduce__(self):
        return os.mkdir, ("planted",)


def test_pickled_programs_are_refused(tiny_policy, folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    place = latest_checkpoint(folder)
    torch.save({"optimizer": Planted()}, place / TENSORS)
    sign(place, TENSORS)
    with pytest.raises(rlve.UserError, match=r"tensors\.pt holds no plain tensors, and was not"):
        resumed(tiny_policy, folder)
    assert not (folder.parent / "planted").exists()


def test_a_step_beyond_all_measure_is_damage(folder):
    place = latest_checkpoint(folder).rename(folder / "checkpoints" / f"step-{10**12}")
    state = msgspec.json.decode((place / STATE).read_bytes())
    (place / STATE).write_bytes(msgspec.json.encode(state | {"step": 10**12}))
    sign(place, STATE)
    assert "state.json is damaged: Expected `int` <= 1000000000" in damage(place)


def test_a_pipe_in_a_checkpoint_is_damage(folder):
    place = latest_checkpoint(folder)
    os.mkfifo(place / "model" / "pipe")
    assert "pipe cannot be read: it is not a regular file" in damage(place)


def sign(place, name):
    """Write the checksum of a changed file."""
    known = msgspec.json.decode((place / CHECKSUMS).read_bytes())
    known[name] = hashlib.sha256((place / name).read_bytes()).hexdigest()
    (place / CHECKSUMS).write_bytes(msgspec.json.encode(known))


# A full disk.


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        Exception("No space left on device (os error 28)"),  # as tokenizers says it
    ],
)
def test_a_disk_that_is_full_while_a_tokenizer_is_saved(tiny_policy, folder, error, monkeypatch):
    good = latest_checkpoint(folder)

    def fail(self, place):
        raise error

    with Run(config_of(tiny_policy, folder), resume=True) as run:
        monkeypatch.setattr(type(run.policy.tokenizer), "save_pretrained", fail)
        with pytest.raises(rlve.UserError, match="No space left on device") as caught:
            run.checkpoint()
    assert str(caught.value).endswith(f"; the last good checkpoint is {good}")
    assert names(folder) == ["step-000006", "step-000007"]


@contextmanager
def files_up_to(size):
    """To whoever writes, a limit of the size of files is what a full disk is."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("size", [60_000, 150_000])  # too small for the weights; for the optimiser
def test_a_full_disk_leaves_the_last_good_checkpoint(tiny_policy, tmp_path, whole, size):
    folder = tmp_path / "run"
    with Run(config_of(tiny_policy, folder)) as run:
        steps = iter(run)
        for _ in range(3):
            next(steps)
        with files_up_to(size), pytest.raises(rlve.UserError) as caught:
            list(steps)
    good = folder / "checkpoints" / "step-000003"
    assert "could not be written" in str(caught.value)
    assert "File too large" in str(caught.value)
    assert str(caught.value).endswith(f"the last good checkpoint is {good}")
    assert names(folder) == ["step-000003"]  # and no draft
    resumed(tiny_policy, folder)
    assert_same(folder, whole)


def test_half_a_line_of_metrics_is_taken_back(tiny_policy, tmp_path, whole):
    folder = tmp_path / "run"
    with Run(config_of(tiny_policy, folder)) as run:
        steps = iter(run)
        next(steps)
        content = (folder / "metrics.jsonl").read_bytes()
        with files_up_to(len(content) + 100), pytest.raises(rlve.UserError) as caught:
            list(steps)
    assert str(caught.value).endswith(
        "File too large; the run was stopped, and the last good checkpoint is none"
    )
    assert (folder / "metrics.jsonl").read_bytes() == content
    resumed(tiny_policy, folder)
    assert_same(folder, whole)


def test_a_disk_that_is_full_when_a_run_is_resumed(tiny_policy, folder, whole):
    shutil.rmtree(folder / "checkpoints" / "step-000007")
    before = (folder / "metrics.jsonl").read_bytes()
    with files_up_to(len(before) // 2), pytest.raises(rlve.UserError) as caught:
        resumed(tiny_policy, folder)
    good = folder / "checkpoints" / "step-000006"
    assert f"cannot write to {folder}: File too large" in str(caught.value)
    assert str(caught.value).endswith(f"the last good checkpoint is {good}")
    assert (folder / "metrics.jsonl").read_bytes() == before
    resumed(tiny_policy, folder)
    assert_same(folder, whole)


# Size.


def test_partial_rollouts_take_few_bytes_for_a_token(tiny_policy, tmp_path):
    with Run(config_of(tiny_policy, tmp_path / "run")) as run:
        next(iter(run))
        groups = run.collector.cache
        state = run.collector.state_dict()
        kept = [rollout for group in groups for rollout in group.rollouts]
        for number, rollout in enumerate(kept):  # as long as those of real models
            rollout.tokens = [number % 23] * 1000
            rollout.logprobs = [-1 / (number + 2)] * 1000
            rollout.logprobs = torch.tensor(rollout.logprobs).tolist()
        state = run.collector.state_dict()
        assert len(msgspec.json.encode(state)) < 12 * 1000 * len(kept)
        before = [(rollout.tokens, rollout.logprobs) for rollout in kept]
        run.collector.load_state_dict(msgspec.json.decode(msgspec.json.encode(state)))
        after = [r for group in run.collector.cache for r in group.rollouts]
        assert [(rollout.tokens, rollout.logprobs) for rollout in after] == before
