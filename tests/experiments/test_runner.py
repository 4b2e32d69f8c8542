"""Experiments run to their end with the tiny policy, can be interrupted, and keep to their plan."""

import importlib
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs rlve[train]")

from experiments.folders import checkpoints, read_metrics, sampled_tokens, step_at
from experiments.plans import Plan, as_flags, override, tiny
from experiments.runner import Experiment, main
from rlve.cli import main as rlve_main
from rlve.foundation.run_folders import checkpoint_folder
from support.forks import Forks

ROOT = Path(__file__).parents[2]
PLAN = tiny(
    Plan(
        question="Does it run?",
        first="accuracy at the last step: static against adaptive",
        settings={"data.environments": ["Sorting"], "run.seed": 0},
        arms={"adaptive": {}, "static": {"data.static": [0, 1]}},
        seeds=[0, 1],
        tests={"levels": "testset in-distribution Sorting -n 400"},
        evaluation={"temperature": 0.6},
        baseline="adaptive",
    )
)
CLAIMS = ("adaptivity", "environment_scaling", "generalisation", "rlve_vs_rlvr")
SCRIPT = f"""
import sys
sys.path[:0] = [{str(ROOT)!r}, {str(Path(__file__).parent)!r}]
from test_runner import PLAN
from experiments.runner import main
raise SystemExit(main({{"try": PLAN}}, sys.argv[1:]))
"""


@pytest.mark.slow
def test_two_arms_with_two_seeds_interrupted_and_resumed(tmp_path, capsys, monkeypatch, request):
    folder = tmp_path / "try"
    words = ["try", "--folder", str(folder), "--at-once", "2"]
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, *words], env=environment())
    wait_for(folder / "runs" / "adaptive" / "0" / "metrics.jsonl", process)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=300) == 130
    assert not (folder / "results.txt").exists()
    begun = {file: file.stat().st_mtime_ns for file in folder.glob("files/*")}

    forks = Forks()  # as new processes, but faster
    request.addfinalizer(forks.close)
    monkeypatch.setattr(Experiment, "call", partial(call, forks))
    assert main({"try": PLAN}, words[:-2]) == 0
    assert {file: file.stat().st_mtime_ns for file in folder.glob("files/*")} == begun
    for arm in ("adaptive", "static"):
        for seed in ("0", "1"):
            run = folder / "runs" / arm / seed
            assert [*read_metrics(run)] == [1, 2]
            assert json.loads((run / "config.json").read_text())["run"]["seed"] == int(seed)
    said = capsys.readouterr().out
    assert said.endswith((folder / "results.txt").read_text() + "\n")
    assert "Does it run?\nCompared first: accuracy at the last step" in said
    assert "| static | 1 | 2 | " in said
    assert "## levels, at the last step" in said

    record = str(folder / "records" / "end-levels.json")
    words_of_record = ["compare", record, "--baseline", "adaptive", "--json"]
    compared = json.loads(forks.run(words_of_record, tmp_path).stdout)
    names = [each["run"] for each in compared["evaluations"]]
    assert names == ["start", "adaptive", "static"]
    assert [each["runs"] for each in compared["evaluations"]] == [1, 2, 2]
    shown = f"{compared['evaluations'][2]['overall']['value']:.1%}"
    row = next(line for line in said.splitlines() if line.startswith("static, step 2 (2 runs)"))
    assert shown in row

    # Whoever asks again gets the same, without a run or an evaluation.
    monkeypatch.setattr(Experiment, "evaluate", lambda *_: None)
    assert main({"try": PLAN}, [*words, "--compare"]) == 0
    assert capsys.readouterr().out.endswith((folder / "results.txt").read_text() + "\n")
    with pytest.raises(SystemExit, match="has another plan: seeds differ"):
        main({"try": PLAN}, [*words, "--set", "seeds=[0,1,2]"])
    with pytest.raises(SystemExit, match="no run is named other; a name is like adaptive/0"):
        main({"try": PLAN}, [*words, "--only", "other"])

    pictures = pytest.importorskip("experiments.pictures", reason="pictures need matplotlib")
    pictures.main([str(folder)])
    drawn = sorted(file.name for file in folder.glob("*.png"))
    assert drawn == ["curves.png", "levels-end-levels.png"]


def call(forks, words, name, tidy=lambda: None):
    done = forks.run(words, Path.cwd())
    assert done.returncode == 0, done.stderr
    return done.stdout


def environment():
    return os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT / 'tests'}"}


def wait_for(file, process):
    deadline = time.monotonic() + 300
    while not file.exists():
        assert process.poll() is None, "it ended before its first step"
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_failure_says_what_failed_and_the_others_go_on(tmp_path, monkeypatch, capsys):
    called = []

    def call(self, words, name, tidy=None):
        called.append(name)
        if name == "adaptive/0":
            raise subprocess.CalledProcessError(2, words, stderr="adaptive/0 failed: no memory")
        run = self.folder / "runs" / name
        if words[0] == "train":
            checkpoint_folder(run, 2).mkdir(parents=True)
        return ""

    monkeypatch.setattr(Experiment, "call", call)
    assert main({"try": PLAN}, ["--folder", str(tmp_path / "try")]) == 1
    assert "adaptive/0 failed: no memory" in capsys.readouterr().err
    assert "static/1" in called


def test_checkpoints_that_are_neither_evaluated_nor_resumed_from_are_removed(tmp_path):
    run = tmp_path / "runs" / "adaptive" / "0"
    for step in range(1, 7):
        checkpoint_folder(run, step).mkdir(parents=True)
        with (run / "metrics.jsonl").open("a") as file:
            file.write(json.dumps({"step": step, "tokens": 30}) + "\n")
    with (run / "metrics.jsonl").open("a") as file:
        file.write('{"step": 7, "tok')  # being written
    assert sampled_tokens(run)[6] == 180
    experiment = Experiment(replace(PLAN, tokens=100), tmp_path)
    assert step_at(run, 100) == 3
    experiment.tidy(run)
    assert sorted(checkpoints(run)) == [3, 5, 6]
    assert step_at(run, 100) == 3


def test_settings_become_flags():
    settings = {"preset": "nano", "data.static": [0, 20], "policy.x": True, "a.b-c": False}
    assert as_flags(settings) == [
        *("--preset", "nano", "--data.static", "0", "20", "--policy.x", "--a.no-b-c"),
    ]


def test_what_is_set_changes_the_plan():
    words = "seeds=[3] tokens=7 tests.levels=held-out evaluation.samples=2 policy.model=m".split()
    plan = override(PLAN, [*words, "data.static=[0,1]", "run.seed=null"])
    assert (plan.seeds, plan.tokens, plan.tests) == ([3], 7, {"levels": "held-out"})
    assert plan.evaluation["samples"] == 2
    assert plan.settings["policy.model"] == "m"
    assert plan.settings["data.static"] == [0, 1]
    assert "run.seed" not in plan.settings


@pytest.mark.parametrize("claim", CLAIMS)
def test_the_settings_of_every_claim_are_settings_of_the_commands(claim, tmp_path, capsys):
    for name, plan in importlib.import_module(f"experiments.{claim}").PLANS.items():
        assert plan.baseline in plan.arms
        of_arms = {key: value for arm in plan.arms.values() for key, value in arm.items()}
        experiment = Experiment(replace(plan, arms={"all": of_arms}), tmp_path / name)
        flags = experiment.flags("all", plan.seeds[0])
        assert rlve_main(["train", *flags, "--print-config"]) == 0, capsys.readouterr().err
        shared = [{**plan.settings, **settings} for settings in plan.arms.values()]
        changed = {key for each in shared for key in each if shared[0].get(key) != each.get(key)}
        assert len(changed) == 1, "arms differ in one thing"
