"""Every benchmark runs at its smallest size and prints a table; no speed is tested."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from rlve.datasets.rows import write_rows
from rlve.errors import UserError
from rlve.train.presets import nano
from support.evaluation_folders import QUESTIONS
from support.programs import load

torch = pytest.importorskip("torch", reason="training needs rlve[train]")
runs = pytest.importorskip("rlve.train.runs")
pytest.importorskip("fastapi", reason="the studio needs rlve[studio]")

FOLDER = Path(__file__).parents[2] / "benchmarks"
NANO = "--problems 2 --group 2 --slots 4 --max-tokens 8 --fixed-tokens 5 --repeats 1"
UPDATE = "--groups 3 --outputs 4 --prompt 30 --tokens 2 5"

# What each one is given, and a line of its table or what it says below.
SMALLEST = {
    "frontier": ("--models 1 --each 24", r"logistic, slope 2 +24 +\d+\.\d% +\d+\.\d%"),
    "gym": ("Sorting --levels 0,3 --seconds 0.01 --workers 1", r"  Sorting +3 +\d+ +\d"),
    "held_out_policies": ("suite.jsonl", r"all +3 +100\.00% +33\.33%"),
    "imports": ("", r"import rlve +\d+ +none"),
    "judge": ("", r"\d\.\d\d +\d+,\d+ +\\"),
    "limits": ("FBI_BinaryTree -o limits.jsonl", r"FBI_BinaryTree +8 +8"),
    "rollout": (f"{NANO} --samplers in-process generate", r"in-process +4 +\d+ +5 .* 0\.0000 "),
    "serve": ("--quick --workers 2 --connections 4", r"Nothing was lost or wrong\."),
    "slowest": ("Sorting --levels 0 --problems 1", r"  environment +d +n "),
    "studio": ("--runs 9 --rollouts 8192", r"rollouts of the live run +\d+\.\d\d s"),
    "update": (f"{UPDATE} --device cpu --repeats 1 -o update.json", r"shared prompts +\d"),
}
SLOW_IS_STATUS_1 = {"gym", "slowest", "studio"}  # for which this machine may be too busy
BELOW = {"seeds", "step"}  # as they are started, they take minutes
ELSEWHERE = {"beside_trl"}  # in trl_library: it needs a virtual environment of its own


def test_none_is_left_out_or_stands_on_the_commands():
    programs = {path.stem: path.read_text() for path in FOLDER.glob("*.py")}
    assert {*programs} == {*SMALLEST, *BELOW, *ELSEWHERE}
    assert not [name for name, text in programs.items() if re.search(r"(?m)^\w+ rlve\.cli", text)]


@pytest.mark.parametrize("name", SMALLEST)
def test_it_prints_a_table(name, tmp_path):
    arguments, line = SMALLEST[name]
    write_rows(tmp_path / "suite.jsonl", QUESTIONS[:3])
    done = subprocess.run(
        [sys.executable, FOLDER / f"{name}.py", *arguments.split()],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    assert done.returncode in {0, int(name in SLOW_IS_STATUS_1)}, done.stderr
    assert re.search(line, done.stdout), done.stdout + done.stderr
    if name == "update":
        document = json.loads((tmp_path / "update.json").read_text())
        own, shared = (way["computed"] for way in document["ways"])
        assert own == document["tokens"] - 12  # all but the last token of each output
        assert 2 * shared < own


def test_adapters_are_updated_beside_full_weights(tmp_path, capsys):
    pytest.importorskip("peft", reason="adapters need rlve[lora]")
    update, file = load("benchmarks/update.py"), tmp_path / "update.json"
    few = {"groups": 3, "outputs": 4, "prompt": 30, "tokens": (2, 5), "repeats": 1, "warm_up": 0}
    few |= {"device": "cpu", "lora_rank": 2, "micro_batch_tokens": "auto"}
    assert update.main(**few, output=file) == 0
    assert "the same, adapters of rank 2" in capsys.readouterr().out
    _, full, adapted = json.loads(file.read_text())["ways"]
    assert adapted["computed"] == full["computed"]
    # Neither the gradient of the weights nor that of the first layer's input is computed.
    assert full["operations"] / 2 < adapted["operations"] < full["operations"]
    with pytest.raises(UserError, match="--lora-rank at least 0"):
        update.main(lora_rank=-1)


def test_the_phases_of_a_step_are_measured(capsys, monkeypatch):
    monkeypatch.setattr(runs, "load_policy", runs.load_policy)  # which --fixed-length replaces
    step, base = load("benchmarks/step.py"), nano()
    data = replace(base.data, environments=("MinimalCyclicShift",))
    few = {"problems": 2, "oversample": 4, "rounds": 1, "group": 4, "max_tokens": 16}
    run = replace(base.run, workers=1)
    config = replace(base, data=data, rollout=replace(base.rollout, **few), run=run)
    assert step.main(config=config, steps=1, warm_up=0, fixed_length=True) == 0
    told = capsys.readouterr().out
    assert re.search(r"sampling +\d+\.\d+ ", told)
    [tokens] = re.findall(r"(\d+) tokens per step", told)
    assert int(tokens) % 16 == 0  # every output reaches the limit
