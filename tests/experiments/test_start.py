"""The start that has learnt form, and the control whose rewards say nothing."""

import json
import shutil
from dataclasses import replace
from itertools import chain
from pathlib import Path
from random import Random
from statistics import correlation

import pytest

pytest.importorskip("torch", reason="training needs rlve[train]")

from experiments import start
from experiments.commands import Commands
from experiments.folders import checkpoints
from experiments.generalisation import PLANS
from experiments.permuted import permute
from experiments.runner import Experiment
from rlve.collections import collection
from rlve.train.advantages import group_advantages
from rlve.train.loss import find_loss
from support.forks import Forks

ROOT = Path(__file__).parents[2]


def test_form_is_taught_on_environments_that_are_neither_trained_on_nor_tested_with():
    trained = {*collection("C256")}
    assert len(start.FORM) == 24
    assert not trained & {*start.FORM}
    assert not {*start.TESTED} & ({*start.FORM} | trained)
    assert len(start.TESTED) == 120


@pytest.mark.slow
def test_a_start_is_made_with_the_commands_and_is_not_made_again(tmp_path, monkeypatch, request):
    forks = Forks()
    request.addfinalizer(forks.close)
    called = []

    def call(self, words, name, tidy=None):
        called.append(words[0])
        done = forks.run(words, tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    monkeypatch.setattr(Commands, "call", call)
    sampling = ("--temperature", "1", "--max-tokens", "48", "--format", "plain", "--workers", "1")
    for name, value in {
        "SAMPLING": sampling,
        "FORM": ["Sorting"],
        "TESTED": ["Sorting", "SAT"],
    }.items():
        monkeypatch.setattr(start, name, value)
    folder = tmp_path / "start"
    words = ["--model", "nano", "--folder", str(folder), "--problems", "5", "--lora-rank", "2"]
    words += ["--per-environment", "2"]
    more = ["--", "--run.workers", "1"]
    told = r"no start: after epoch 1, \d+\.\d% of outputs are ill-formed and they have \d+ tokens"
    with pytest.raises(SystemExit, match=f"{told}; wanted are under 5% and above 250"):
        start.main([*words, "--epochs", "1", *more])
    made = ["dataset", "eval", "rollouts", "dataset", "eval", "teach", "export", "eval"]
    assert called == made
    assert not (folder / "model").exists()  # nothing starts from what was refused

    called.clear()  # the second epoch, which anything satisfies that writes a token less
    found = json.loads((folder / "after-1" / "results.json").read_text())["overall"]
    monkeypatch.setattr(start, "results", first_refused(start.results, folder / "after-1"))
    words += ["--ill-formed", "1.01", "--tokens", "0"]
    assert found["mean_tokens"] > 0
    assert start.main([*words, *more]) == 0
    made = ["teach", "export", "eval", "compare", "dataset", "eval", "dataset"]
    assert called == made
    assert len(checkpoints(folder / "taught")) == 2
    tests = (folder / "tests.jsonl").read_text().splitlines()
    assert {json.loads(line)["environment"] for line in tests} == {"Sorting"}  # nano solves no SAT
    assert len(tests) == 6
    assert "ill-formed" in (folder / "form.txt").read_text()

    called.clear()  # on another machine, without the merged model
    weights = (folder / "model" / "model.safetensors").read_bytes()
    shutil.rmtree(folder / "model")
    assert start.main([*words, *more]) == 0
    assert called == ["compare", "export"]
    assert (folder / "model" / "model.safetensors").read_bytes() == weights


def first_refused(results, evaluation):
    """The results of evaluations, but one of them is all ill-formed."""

    def read(folder):
        found = results(folder)
        if folder == evaluation:
            found["overall"]["ill_formed"] = 2.0
        return found

    return read


def test_a_command_that_fails_says_why(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(start, "FORM", ["Sortin"])
    assert start.main(["--model", "nano", "--folder", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert "problems.jsonl failed: rlve dataset Sortin" in said
    assert "did you mean" in said


def test_permuted_rewards_are_the_same_and_say_nothing():
    rng = Random(0)
    groups = [[float(rng.random() < 0.3) for _ in range(16)] for _ in range(400)]
    groups = [group for group in groups if len({*group}) > 1]
    permuted = [permute(group) for group in groups]
    for group, advantages in zip(groups, permuted, strict=True):
        assert sorted(advantages) == sorted(group_advantages(group))
    assert permuted == [permute(group) for group in groups]  # a resumed run does the same
    assert abs(correlation([*chain(*groups)], [*chain(*permuted)])) < 0.05


def test_a_resumed_control_loads_its_loss():
    plan = PLANS["generalisation"]
    experiment = Experiment(replace(plan, tests={}), ROOT)
    begun = ["--resume", str(ROOT), "--run.hours", "None"]
    assert experiment.again("RLVE", ROOT) == begun
    assert experiment.again("permuted", ROOT) == [*begun, "--load", "experiments.permuted"]
    assert find_loss(plan.arms["permuted"]["update.loss"]).title == "DAPO, permuted"
