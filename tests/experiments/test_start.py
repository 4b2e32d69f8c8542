"""The start that has learnt form, and the control whose rewards say nothing."""

import json
from dataclasses import replace
from itertools import chain
from pathlib import Path
from random import Random
from statistics import correlation

import pytest

pytest.importorskip("torch", reason="training needs rlve[train]")

from experiments import start
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

    def call(made, log, *words):
        if not made.exists():
            called.append(words[0])
            done = forks.run([*map(str, words)], tmp_path)
            assert done.returncode == 0, done.stderr
            log.write_text(done.stdout)

    sampling = ("--temperature", "1", "--max-tokens", "48", "--format", "plain", "--workers", "1")
    for name, value in {
        "call": call,
        "SAMPLING": sampling,
        "FORM": ["Sorting"],
        "TESTED": ["Sorting", "SAT"],
    }.items():
        monkeypatch.setattr(start, name, value)
    words = ["--model", "nano", "--folder", str(tmp_path / "start"), "--problems", "5"]
    words += ["--per-environment", "2", "--", "--run.workers", "1"]
    start.main(words)
    made = ["dataset", "eval", "rollouts", "teach", "export", "dataset", "eval", "eval", "compare"]
    assert called == [*made, "dataset", "eval", "dataset"]
    tests = (tmp_path / "start" / "tests.jsonl").read_text().splitlines()
    assert {json.loads(line)["environment"] for line in tests} == {"Sorting"}  # nano solves no SAT
    assert len(tests) == 6
    assert "ill-formed" in (tmp_path / "start" / "form.txt").read_text()
    start.main(words)
    assert len(called) == 12


def test_a_command_that_fails_says_why(tmp_path):
    with pytest.raises(SystemExit, match=r"that failed(?s:.*)Sortin"):
        start.draw(["Sortin"], 1, "0", 0, tmp_path / "it.jsonl")


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
    assert experiment.again("RLVE", ROOT) == ["--resume", str(ROOT)]
    *_, flag, file = experiment.again("permuted", ROOT)
    assert flag == "--load"
    assert find_loss(f"{ROOT / file}:PERMUTED").title == "DAPO, permuted"
