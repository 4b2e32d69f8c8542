"""Experiments run to their end with the tiny policy, can be interrupted, and keep to their plan."""

import importlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs rlve[train]")

from experiments.commands import Commands, Paused, Stopped
from experiments.comparisons import side_by_side, tokens_table
from experiments.folders import (
    checkpoints,
    comes_to,
    read_metrics,
    sampled_tokens,
    step_at,
    training_table,
)
from experiments.generalisation import PLANS
from experiments.plans import Plan, as_flags, override, tiny
from experiments.runner import Experiment, main
from experiments.suites import check_suites, take_benchmarks
from rlve.cli import main as rlve_main
from rlve.evaluate.benchmarks import BENCHMARKS
from rlve.foundation.run_folders import checkpoint_folder
from support.forks import Forks

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("RLVE_DATA", ROOT.parent / "shared" / "data")) / "benchmarks"
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
        pass_at=2,
    )
)
CLAIMS = ("adaptivity", "environment_scaling", "generalisation", "rlve_vs_rlvr")
PLANS_OF = {
    name: importlib.import_module(f"experiments.{name}").PLANS for name in (*CLAIMS, "adapters")
}
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
    monkeypatch.setattr(Commands, "call", partial(call, forks))
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
    assert "4 runs: adaptive, static; seeds [0, 1]\n" in said
    assert "| static | 1 | 2 | " in said
    assert "## levels, at the last step" in said
    for number in ("accuracy", "Pass@2"):
        assert re.search(rf"(?m)^static, step 2 has {number} .*, adaptive, step 2 ", said)
    assert "start has" not in said

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
    monkeypatch.setattr(Experiment, "evaluate", lambda *_: pytest.fail("it is there"))
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


def call(forks, words, name, watch=None):
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

    def call(self, words, name, watch=None):
        called.append(name)
        if name == "adaptive/0":
            raise subprocess.CalledProcessError(2, words, stderr="adaptive/0 failed: no memory")
        if words[0] == "train":
            checkpoint_folder(tmp_path / "try" / "runs" / name, 2).mkdir(parents=True)
        return ""

    monkeypatch.setattr(Commands, "call", call)
    assert main({"try": PLAN}, ["--folder", str(tmp_path / "try")]) == 1
    assert "adaptive/0 failed: no memory" in capsys.readouterr().err
    assert "static/1" in called


@pytest.mark.slow
def test_runs_are_evaluated_when_a_sitting_ends(tmp_path, monkeypatch, capsys, request):
    """A step is a sitting here: the time is up after it, and once more in the evaluation of it."""
    forks = Forks()
    request.addfinalizer(forks.close)
    called = []

    def call(self, words, name, watch=None):
        called.append(name)
        if words[0] == "train":
            assert words[words.index("--run.hours") + 1] == "0.5"
            made = checkpoints(tmp_path / "try" / "runs" / name)
            words = [*words, "--run.steps", str(1 + max(made, default=0))]
            done = forks.run(words, Path.cwd())
            assert done.returncode == 0, done.stderr
            raise Stopped(name)
        if name == "evals/sittings/held-out/adaptive/0/step-000001" and called.count(name) == 1:
            (tmp_path / "try" / name).mkdir(parents=True)
            raise Stopped(name)
        return partial(globals()["call"], forks)(words, name)

    monkeypatch.setattr(Commands, "call", call)
    monkeypatch.setattr(Experiment, "hours", lambda _: "0.5")
    tests = {"levels": PLAN.tests["levels"], "held-out": "testset held-out -n 1"}
    plan = replace(PLAN, tests=tests, settings=PLAN.settings | {"run.steps": 3})
    words = ["--folder", str(tmp_path / "try"), "--only", "adaptive/0"]
    assert main({"try": plan}, words) == 130
    first = [f"evals/sittings/{test}/adaptive/0/step-000001" for test in tests]
    assert called[-3:] == ["adaptive/0", *first]
    assert main({"try": plan}, words) == 130
    second = [f"evals/sittings/{test}/adaptive/0/step-000002" for test in tests]
    assert called[-4:] == [first[1], "adaptive/0", *second]
    assert "stopped; the same command goes on" in capsys.readouterr().out
    assert main({"try": plan}, [*words, "--compare"]) == 0
    said = capsys.readouterr().out
    assert "## held-out, at the end of each sitting" in said
    assert "adaptive/0, step 1" in said
    assert "adaptive/0, step 2" in said


def test_a_run_has_the_time_that_is_left(tmp_path, monkeypatch, capsys):
    experiment = Experiment(PLAN, tmp_path, minutes=30)
    assert 0.49 < float(experiment.hours()) <= 0.5
    assert Experiment(PLAN, tmp_path).hours() == "None"
    for words in (experiment.flags("static", 0), Experiment(PLAN, tmp_path).flags("static", 0)):
        assert rlve_main(["train", *words, "--print-config"]) == 0
    shown = capsys.readouterr().out
    assert "hours: null" in shown
    assert shown.count("hours: 0.") == 1
    monkeypatch.setattr(Commands, "call", lambda *_: pytest.fail("it began"))
    with pytest.raises(Stopped):
        Experiment(PLAN, tmp_path, minutes=0).train("static", 0)


def test_a_run_without_tests_is_done_after_its_last_step(tmp_path):
    run = tmp_path / "runs" / "adaptive" / "0"
    run.mkdir(parents=True)
    (run / "metrics.jsonl").write_text('{"step": 1}\n{"step": 2}\n')
    experiment = Experiment(replace(PLAN, tests={}), tmp_path)
    experiment.run_pair("adaptive", 0, discard=True)  # which begins nothing


def begin(run, tokens, saved=()):
    """A run that has sampled so many tokens in each step, and has these checkpoints."""
    run.mkdir(parents=True, exist_ok=True)
    for step in saved:
        checkpoint_folder(run, step).mkdir(parents=True)
    rows = [{"step": step, "tokens": number} for step, number in enumerate(tokens, 1)]
    (run / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_checkpoints_that_are_neither_evaluated_nor_resumed_from_are_removed(tmp_path):
    run = tmp_path / "runs" / "adaptive" / "0"
    begin(run, [30] * 6, saved=range(1, 7))
    with (run / "metrics.jsonl").open("a") as file:
        file.write('{"step": 7, "tok')  # being written
    assert sampled_tokens(run)[6] == 180
    experiment = Experiment(replace(PLAN, tokens=100), tmp_path)
    assert step_at(run, 100) == 3
    experiment.tidy(run)
    assert sorted(checkpoints(run)) == [3, 6]
    assert step_at(run, 100) == 3


def test_arms_are_compared_as_near_to_the_planned_tokens_as_they_have_checkpoints(tmp_path):
    """Two that differ by a hundredth were compared at 5.97M and 4.02M."""
    found = []
    for name, tokens in (("one", 99_500), ("other", 100_500)):
        begin(tmp_path / name, [tokens] * 100, saved=range(20, 101, 20))
        found.append(step_at(tmp_path / name, 6_000_000))
    assert found == [60, 60]


def test_a_run_pauses_once_where_it_has_sampled_the_planned_tokens(tmp_path):
    run = tmp_path / "adaptive"
    wanted = []
    for step in range(40):
        begin(run, [30] * step)
        wanted.append(comes_to(run, 1000))
    assert wanted.index(True) == 32  # so that step 33 is saved, after 990 tokens
    begin(run, [30] * 34, saved=[33])
    assert not comes_to(run, 1000)
    begin(run, [30] * 80)
    assert not comes_to(run, 1000)


@pytest.mark.slow
def test_a_paused_run_goes_on(tmp_path, capsys):
    settings = {"run.steps": 80, "run.checkpoint-every": 80, "rollout.problems": 4}
    settings |= {"rollout.oversample": 4, "rollout.group": 8, "rollout.max-tokens": 48}
    plan = replace(PLAN, tests={}, tokens=4000, settings=PLAN.settings | settings)
    assert main({"try": plan}, ["--folder", str(tmp_path), "--only", "adaptive/0"]) == 0
    assert capsys.readouterr().out.count("adaptive/0: rlve train\n") == 2
    run = tmp_path / "runs" / "adaptive" / "0"
    assert [*read_metrics(run)] == [*range(1, 81)]
    [paused, last] = sorted(checkpoints(run))
    assert last == 80
    assert step_at(run, 4000) == paused
    assert f"Resuming after step {paused} of 80" in (tmp_path / "logs/adaptive-0.txt").read_text()


def test_a_pause_is_not_the_end_of_a_sitting(tmp_path, monkeypatch):
    """But the end of one may come in a pause."""
    called, evaluated = [], []

    def call(self, words, name, watch=None):
        called.append(words[1])
        begin(tmp_path / "runs" / name, [30] * 3, saved=[len(called)])
        (tmp_path / "runs" / name / "config.json").touch()
        if len(called) < 3:
            raise Paused(name)

    monkeypatch.setattr(Commands, "call", call)
    monkeypatch.setattr(Experiment, "evaluate", lambda self, *words: evaluated.append(words[-1]))
    experiment = Experiment(replace(PLAN, tokens=60), tmp_path)
    experiment.train("adaptive", 0)
    assert [word == "--resume" for word in called] == [False, True, True]
    assert not evaluated
    called.clear()
    over = iter([False, True])
    monkeypatch.setattr(Experiment, "is_over", lambda self: next(over))
    with pytest.raises(Stopped):
        Experiment(replace(PLAN, tokens=60), tmp_path).train("static", 0)
    assert evaluated == ["static/0/step-000001"]


def test_the_tokens_at_which_each_run_was_evaluated_are_told(tmp_path):
    begin(tmp_path / "run", [30, 31, 32])
    place = tmp_path / "evals" / "static" / "1"
    place.mkdir(parents=True)
    (place / "results.json").touch()
    model = f"{tmp_path}/step-000001/runs/static/1/checkpoints/step-000002/model"
    (place / "plan.json").write_text(json.dumps({"model": model}))
    runs = [("adaptive", 1, tmp_path / "other"), ("static", 1, tmp_path / "run")]
    assert tokens_table(runs, tmp_path / "evals").splitlines()[2:] == ["| static | 1 | 2 | 61 |"]


def test_each_arm_is_compared_with_the_baseline_by_every_measure(tmp_path):
    called = []

    class Recorded:
        def call(self, words, name):
            called.append(words)
            return f"table of {name}\n\nthe last sentence of {name}\nNote: they differ\n"

    plan = replace(PLAN, arms=PLAN.arms | {"third": {}, "not yet": {}})
    words = ["start=s", "adaptive=a", "static=b", "static=c", "third=d"]
    record = tmp_path / "end-levels.json"
    said = [*side_by_side(plan, words, record, Recorded())]
    names = ("records/end-levels", "records/end-levels-pass")
    assert said == [
        line
        for name in names
        for line in (
            f"table of {name}",
            f"the last sentence of {name}-static",
            f"the last sentence of {name}-third",
            "Note: they differ",
        )
    ]
    more = ["--baseline", "adaptive", "--pass-at", "2"]
    assert called[3:] == [
        ["compare", *words, *more],
        ["compare", "adaptive=a", "static=b", "static=c", *more],
        ["compare", "adaptive=a", "third=d", *more],
    ]


def test_training_is_told_in_a_row(tmp_path):
    def row(step):
        shared = {"effective_prompt_ratio": 0.5, "bounds": {"A": [0, 3], "B": [0, 4]}}
        counts = {"tokens": 1000, "response_tokens": 250.0, "accuracy": step / 8}
        return shared | counts | {"step": step, "seconds": {"update": float(step)}}

    (tmp_path / "metrics.jsonl").write_text("".join(json.dumps(row(n)) + "\n" for n in range(1, 9)))
    (tmp_path / "checkpoint_bytes").write_text("61500000\n")
    told = training_table([("rank-8", 0, tmp_path), ("none", 0, tmp_path / "none")]).splitlines()
    assert told[2:] == [
        "| rank-8 | 0 | 8 | 8,000 | 18.8%, 43.8%, 68.8%, 93.8% | 50% | 3.5 | 250 | 4.50 | 61.5 |"
    ]
    assert {line.count("|") for line in told} == {11}


def test_settings_become_flags():
    settings = {"preset": "nano", "data.static": [0, 20], "policy.x": True, "a.b-c": False}
    assert as_flags(settings) == [
        *("--preset", "nano", "--data.static", "0", "20", "--policy.x", "--a.no-b-c"),
    ]


@pytest.mark.slow
def test_generalisation_goes_to_its_end_from_another_folder(tmp_path):
    """With benchmarks in files, adapters, and a loss beside the plan."""
    words = ["-m", "experiments.generalisation", "--tiny", "--set", "tests.others=null"]
    words += ["tests.bbeh=null", "tests.olympiad-bench=null", "rollout.max-tokens=48"]
    paths = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    done = subprocess.run(
        [sys.executable, *words],
        env=os.environ | {"PYTHONPATH": paths},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "## omega-500, at the last step" in done.stdout
    assert "permuted, step 2" in done.stdout
    folder = tmp_path / "runs" / "generalisation"
    plan = json.loads((folder / "evals/start/omega-500/start/plan.json").read_text())
    assert plan["suite"] == "omega-500"
    assert (folder / "benchmarks" / "omega_500.json").exists()


def test_suites_that_cannot_be_read_are_told_before_anything_begins(tmp_path, monkeypatch):
    monkeypatch.setattr(Commands, "call", lambda *_: pytest.fail("it began"))
    plan = replace(PLAN, tests=PLAN.tests | {"omega-500": "omega-500", "others": "no/tests.jsonl"})
    words = ["--folder", str(tmp_path / "try")]
    trouble = (
        r"omega-500: OMEGA-500 must be given as a file(?s:.*)no/tests.jsonl(?s:.*)--benchmarks"
    )
    with pytest.raises(SystemExit, match=trouble):
        main({"try": plan}, words)


def test_what_has_not_begun_is_not_compared(tmp_path, capsys):
    assert main({"try": PLAN}, ["--folder", str(tmp_path), "--compare"]) == 0
    assert "Does it run?" in capsys.readouterr().out
    assert not [*tmp_path.glob("records/*.json")]


def test_benchmarks_are_taken_from_files(tmp_path):
    given = tmp_path / "given"
    given.mkdir()
    (given / "bbeh.jsonl").write_text('{"input": "1 + 1?", "target": "2"}\n')
    (given / "aime_2024.json").write_text("[]")
    plan = replace(PLAN, tests={"bbeh": "bbeh", "levels": PLAN.tests["levels"]})
    folder = tmp_path / "try"
    take_benchmarks(plan.tests.values(), given, folder / "benchmarks")
    assert [file.name for file in (folder / "benchmarks").iterdir()] == ["bbeh.jsonl"]
    experiment = Experiment(plan, folder)
    assert experiment.suite("bbeh") == f"bbeh:{folder}/benchmarks/bbeh.jsonl"
    assert experiment.suite("levels") == f"{folder}/files/levels.jsonl"
    check_suites([experiment.suite("bbeh")])


@pytest.mark.skipif(not DATA.exists(), reason="the files of the benchmarks are not here")
def test_the_published_files_of_benchmarks_can_be_read(tmp_path):
    plan = PLANS["generalisation"]
    names = [words for words in plan.tests.values() if words in BENCHMARKS]
    assert names == ["omega-500", "olympiad-bench", "bbeh"]
    take_benchmarks(names, DATA, tmp_path / "benchmarks")
    experiment = Experiment(plan, tmp_path)
    check_suites(experiment.suite(name) for name in names)


def test_what_is_set_changes_the_plan():
    words = "seeds=[3] tokens=7 tests.levels=held-out evaluation.samples=2 policy.model=m".split()
    plan = override(PLAN, [*words, "data.static=[0,1]", "run.seed=null", "pass_at=null"])
    assert (plan.seeds, plan.tokens, plan.tests) == ([3], 7, {"levels": "held-out"})
    assert plan.pass_at is None
    assert plan.evaluation["samples"] == 2
    assert plan.settings["policy.model"] == "m"
    assert plan.settings["data.static"] == [0, 1]
    assert "run.seed" not in plan.settings


@pytest.mark.parametrize("module", PLANS_OF)
def test_the_settings_of_every_plan_are_settings_of_the_commands(module, tmp_path, capsys):
    for name, plan in PLANS_OF[module].items():
        assert plan.baseline in plan.arms
        assert plan.evaluation.get("samples", 1) >= (plan.pass_at or 1)
        total = plan.minutes * len(plan.pairs)
        assert f"; about {total:.0f} minutes of one GPU in all" in str(plan)
        of_arms = {key: value for arm in plan.arms.values() for key, value in arm.items()}
        experiment = Experiment(replace(plan, arms={"all": of_arms}), tmp_path / name)
        flags = experiment.flags("all", plan.seeds[0])
        assert rlve_main(["train", *flags, "--print-config"]) == 0, capsys.readouterr().err
        assert "micro_batch_tokens: null" in capsys.readouterr().out
        shared = [{**plan.settings, **settings} for settings in plan.arms.values()]
        changed = {key for each in shared for key in each if shared[0].get(key) != each.get(key)}
        if module in CLAIMS:
            assert len(changed) == 1, "arms differ in one thing"
