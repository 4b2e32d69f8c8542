"""Every benchmark runs at its smallest size and prints a table; what it counts is right.

How fast anything is, is not tested.
"""

import json
import os
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from rlve.datasets.rows import write_rows
from rlve.envs.arrays.sorting import Sorting
from rlve.evaluate.suite import load_suite
from rlve.train.history import Accuracy, ValidationRecord
from rlve.train.presets import nano
from support.programs import load

torch = pytest.importorskip("torch", reason="training needs rlve[train]")
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


def test_none_is_left_out_or_stands_on_the_commands():
    programs = {path.stem: path.read_text() for path in FOLDER.glob("*.py")}
    assert {*programs} == {*SMALLEST, *BELOW}
    assert not [name for name, text in programs.items() if re.search(r"(?m)^\w+ rlve\.cli", text)]


@pytest.mark.parametrize("name", SMALLEST)
def test_it_prints_a_table(name, tmp_path):
    arguments, line = SMALLEST[name]
    write_rows(tmp_path / "suite.jsonl", load_suite("in-distribution:Sorting").questions[:3])
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


def test_the_table_of_several_seeds(monkeypatch):
    """Two problems at each of two levels of Sorting; the second of each came up in training."""
    seeds = load("benchmarks/seeds.py")
    fixed = {"temperature": 1.0, "ill_formed": 0.0, "truncated": 0.0, "tokens": 1}

    def record(step, marks):
        shares = {level: text.count("1") / len(text) for level, text in marks.items()}
        solved = {"by_level": {"Sorting": shares}, "solved": {"Sorting": marks}}
        seen = {"Sorting": {0: "01", 3: "01"}}
        measured = [Accuracy(**fixed, **solved)]
        return ValidationRecord(step=step, problems=4, measured=measured, seen=seen, seconds=1.0)

    records = [record(0, {0: "01", 3: "00"}), record(5, {0: "11", 3: "00"})]
    monkeypatch.setattr(seeds, "read_validations", lambda folder: records)
    last = SimpleNamespace(bounds={"Sorting": (0, 2)})
    monkeypatch.setattr(seeds, "read_steps", lambda folder: [last])
    assert seeds.table({"0": Path("a")}).splitlines() == [
        "| seed | T = 1 | T = 1, not seen in training | Sorting up to h |",
        "| --- | --- | --- | --- |",
        "| 0 | 25.0 -> 50.0 | 0.0 -> 50.0 (2) | 50.0 -> 100.0 (h 2) |",
    ]


def test_tokens_after_the_end_are_not_counted():
    rollout = load("benchmarks/rollout.py")
    case = rollout.Case("natural ends", [[1], [2]], (7,), max_tokens=4, rows=4, group=2)
    outputs = [[1, 7, 0, 0, 0], [1, 5, 5, 7, 0], [2, 5, 5, 5, 5], [2, 5, 5, 5, 7]]
    model = torch.nn.Linear(1, 1)
    model.config = SimpleNamespace(get_text_config=lambda: SimpleNamespace(pad_token_id=0))
    model.generate = lambda **settings: torch.tensor(outputs)
    assert rollout.generate(case, model) == 1 + 3 + 4 + 4


def test_the_phases_of_a_step_are_measured(capsys):
    step, base = load("benchmarks/step.py"), nano()
    data = replace(base.data, environments=("MinimalCyclicShift",))
    few = {"problems": 2, "oversample": 4, "rounds": 1, "group": 4, "max_tokens": 16}
    run = replace(base.run, workers=1)
    config = replace(base, data=data, rollout=replace(base.rollout, **few), run=run)
    assert step.main(config=config, steps=1, warm_up=0) == 0
    assert re.search(r"sampling +\d+\.\d+ ", capsys.readouterr().out)


def test_time_within_a_phase_that_is_its_own_phase_is_counted_once():
    class Work:
        def outer(self):
            self.inner()

        def inner(self):
            time.sleep(0.03)

    work, watch = Work(), load("benchmarks/step.py").Stopwatch()
    watch.watch("inner", work, "inner")
    watch.watch("outer", work, "outer")
    start = time.perf_counter()
    work.outer()
    assert 0.03 <= sum(watch.seconds.values()) <= time.perf_counter() - start


def test_what_is_too_slow_or_wrong_is_marked(monkeypatch):
    gym = load("benchmarks/gym.py")
    monkeypatch.setattr(gym, "GENERATION_P99", 0.0)
    monkeypatch.setattr(gym, "SLOWEST_VERDICT", 0.0)
    mistaken = type("Mistaken", (Sorting,), {"reference": lambda self: "0"})
    faults = " ".join(gym.measure(mistaken, 2, 0.01, {}).broken)
    assert re.search("not correct generation p99 .* slowest verdict ", faults), faults
