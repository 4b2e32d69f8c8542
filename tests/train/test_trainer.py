import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
import torch
from safetensors.torch import load_file

import rlve
from rlve.train import trainer, update
from rlve.train.checkpoint import checkpoints, latest_checkpoint
from rlve.train.config import Config, RolloutConfig, RunConfig, UpdateConfig
from rlve.train.trainer import train
from support.run_tiny import tiny_config

TESTS = Path(__file__).parents[1]


class History:
    """Keeps the metrics of a run."""

    def __init__(self):
        self.steps = []

    def collecting(self, step, kept, finished):
        assert step == len(self.steps) + 1

    def stepped(self, metrics):
        self.steps.append(metrics)


def overfit(tiny_policy, folder):
    config = tiny_config(tiny_policy, folder, steps=100, static=(0, 0))
    rollout = replace(config.rollout, oversample=8, group=16, max_tokens=2, slots=256)
    history = History()
    train(replace(config, rollout=rollout), [history])
    return [metrics["accuracy"] for metrics in history.steps]


def test_a_fresh_model_learns_an_environment(tiny_policy, tmp_path):
    accuracy = overfit(tiny_policy, tmp_path / "run")
    assert accuracy[0] < 0.2
    assert sum(accuracy[-10:]) / 10 > 0.9


def test_with_the_sign_of_the_advantage_flipped_it_does_not(tiny_policy, tmp_path, monkeypatch):
    right = trainer.group_advantages
    monkeypatch.setattr(
        trainer, "group_advantages", lambda *args, **kwargs: [-a for a in right(*args, **kwargs)]
    )
    accuracy = overfit(tiny_policy, tmp_path / "run")
    assert max(accuracy[-10:]) < 0.2


@pytest.fixture(scope="module")
def uninterrupted(tiny_policy, tmp_path_factory):
    """The folder of a run that was never interrupted."""
    folder = tmp_path_factory.mktemp("runs") / "whole"
    start(tiny_policy, folder, "fresh").communicate()
    return folder


def start(policy, folder, how):
    command = [sys.executable, "-m", "support.run_tiny", str(policy), str(folder), how]
    return subprocess.Popen(command, cwd=TESTS)


def result(folder):
    """The weights and the metrics a run ended with, without the times."""
    model = latest_checkpoint(folder / "checkpoints") / "model" / "model.safetensors"
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return load_file(model), [{**line, "seconds": None} for line in lines]


def assert_same(folder, whole):
    weights, metrics = result(folder)
    expected_weights, expected_metrics = result(whole)
    assert metrics == expected_metrics
    assert weights.keys() == expected_weights.keys()
    assert all(torch.equal(weights[key], expected_weights[key]) for key in weights)


def test_the_run_folder(uninterrupted):
    lines = [
        json.loads(line) for line in (uninterrupted / "metrics.jsonl").read_text().splitlines()
    ]
    assert [line["step"] for line in lines] == list(range(1, 13))
    assert any(line["cached_groups"] for line in lines)
    assert all(0 <= line["effective_prompt_ratio"] <= 1 for line in lines)
    samples = (uninterrupted / "rollouts.jsonl").read_text().splitlines()
    assert {json.loads(line)["step"] for line in samples} == {1, 4, 8, 12}
    assert [path.name for path in checkpoints(uninterrupted / "checkpoints")] == [
        "step-000009",
        "step-000012",
    ]


def test_killed_and_resumed_it_ends_the_same(tiny_policy, tmp_path, uninterrupted):
    folder = tmp_path / "run"
    process = start(tiny_policy, folder, "fresh")
    wait_for_step(folder, Random().randint(4, 10))  # at a random moment
    process.kill()
    process.wait()
    start(tiny_policy, folder, "resume").communicate()
    assert_same(folder, uninterrupted)


def test_interrupted_and_resumed_it_ends_the_same(tiny_policy, tmp_path, uninterrupted):
    folder = tmp_path / "run"
    process = start(tiny_policy, folder, "fresh")
    wait_for_step(folder, 4)
    os.kill(process.pid, signal.SIGINT)
    assert process.wait() == 0
    done = len((folder / "metrics.jsonl").read_text().splitlines())
    assert latest_checkpoint(folder / "checkpoints").name == f"step-{done:06d}"
    start(tiny_policy, folder, "resume").communicate()
    assert_same(folder, uninterrupted)


def wait_for_step(folder, step):
    metrics = folder / "metrics.jsonl"
    for _ in range(6000):
        if metrics.exists() and metrics.read_text().count("\n") >= step:
            return
        time.sleep(0.01)
    raise TimeoutError


def test_a_finished_run_has_nothing_left_to_do(tiny_policy, tmp_path, uninterrupted):
    folder = tmp_path / "copy"
    shutil.copytree(uninterrupted, folder)
    history = History()
    outcome = train(tiny_config(tiny_policy, folder), [history], resume=True)
    assert history.steps == []
    assert outcome.step == 12
    assert not outcome.interrupted


def test_a_loss_that_is_no_number_names_the_last_good_checkpoint(
    tiny_policy, tmp_path, monkeypatch
):
    calls = []
    policy_loss = update.policy_loss

    def spoilt(*arguments, **settings):
        calls.append(1)
        parts = policy_loss(*arguments, **settings)
        return parts._replace(loss=parts.loss * float("nan")) if len(calls) > 30 else parts

    monkeypatch.setattr(update, "policy_loss", spoilt)
    with pytest.raises(rlve.UserError, match=r"the loss is nan.*last good checkpoint is .*step-00"):
        train(tiny_config(tiny_policy, tmp_path / "run"))
    assert latest_checkpoint(tmp_path / "run" / "checkpoints") is not None


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"rollout": RolloutConfig(group=1)}, "rollout.group is at least 2"),
        ({"rollout": RolloutConfig(problems=8, oversample=4)}, "rollout.oversample"),
        ({"rollout": RolloutConfig(temperature=0)}, "rollout.temperature"),
        ({"update": UpdateConfig(updates_per_step=3)}, "does not divide"),
        ({"update": UpdateConfig(learning_rate=0)}, "update.learning-rate"),
        ({"run": RunConfig(steps=0)}, "run.steps is at least 1"),
    ],
)
def test_settings_that_cannot_work_are_refused(change, complaint):
    with pytest.raises(rlve.UserError, match=complaint):
        replace(Config(), **change).check()


def test_bad_input_is_named_before_any_work(tiny_policy, tmp_path):
    config = tiny_config(tiny_policy, tmp_path / "run")
    unknown = replace(config.data, environments=("Successr",))
    with pytest.raises(rlve.UserError, match="did you mean 'Successor'"):
        train(replace(config, data=unknown))
    missing = replace(config.policy, model=str(tmp_path / "nowhere"))
    folder = replace(config.run, folder=tmp_path / "b")
    with pytest.raises(rlve.UserError, match="cannot load the model"):
        train(replace(config, policy=missing, run=folder))
    long = replace(config.rollout, max_tokens=500)
    folder = replace(config.run, folder=tmp_path / "c")
    with pytest.raises(rlve.UserError, match="do not fit the context"):
        train(replace(config, rollout=long, run=folder))


def test_a_folder_belongs_to_one_run(tiny_policy, tmp_path, uninterrupted):
    folder = tmp_path / "copy"
    shutil.copytree(uninterrupted, folder)
    config = tiny_config(tiny_policy, folder)
    with pytest.raises(rlve.UserError, match="holds a run already"):
        train(config)
    other = replace(config, update=replace(config.update, learning_rate=1e-3))
    with pytest.raises(rlve.UserError, match=r"other settings: update\.learning_rate"):
        train(other, resume=True)
    with pytest.raises(rlve.UserError, match="is not the folder of a run"):
        train(tiny_config(tiny_policy, tmp_path / "none"), resume=True)
