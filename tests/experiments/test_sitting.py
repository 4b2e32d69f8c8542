"""An experiment goes on over several sittings, on machines that keep nothing."""

import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs rlve[train]")

from experiments import sitting
from experiments.adaptivity import PLANS
from experiments.archives import contents, join, keep, split, unpack
from experiments.folders import read_metrics
from experiments.jobs import lines
from experiments.plans import override, tiny
from experiments.runner import Experiment
from rlve.foundation.run_folders import checkpoint_folder
from support.forks import Forks
from support.gguf_files import tiny_llama, write_gguf

ROOT = Path(__file__).parents[2]
SETTINGS = [
    *("run.steps=60", "rollout.group=8", "rollout.problems=4", "rollout.oversample=4"),
    *("rollout.max-tokens=48", "policy.lora-rank=2", "run.checkpoint-every=7"),
    *("data.environments=[\"Sorting\"]", "tests.levels=null"),
]  # fmt: skip


@pytest.mark.slow
def test_two_sittings_are_one_run(tmp_path, request):
    (tmp_path / "wheels").mkdir()
    with zipfile.ZipFile(tmp_path / "wheels" / "missing_there-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("missing_there.py", "HERE = True\n")
    model = write_gguf(tmp_path / "tiny.gguf", tiny_llama())
    packed = tmp_path / "packed"
    wheels = ["--wheels", str(tmp_path / "wheels"), "--mib", "1"]
    assert sitting.main(["pack", str(packed), str(model), *wheels]) == 0
    assert len([*packed.glob("code.tar.gz.*")]) > 1

    one = machine(tmp_path / "one", packed)
    process = sit(one, "-c", "import missing_there, sys; from experiments.adaptivity import *; "
                  "sys.exit(main(PLANS, sys.argv[1:]))")  # fmt: skip
    wait_for(one / "runs" / "Sorting" / "runs" / "adaptive" / "0" / "metrics.jsonl", process)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=300) == 130
    assert (one / "models" / "tiny" / "config.json").exists()

    two = machine(tmp_path / "two", packed, one / "out")
    run = Path("runs") / "Sorting" / "runs" / "adaptive" / "0"
    process = sit(two, "-m", "experiments.adaptivity")
    assert process.wait(timeout=300) == 0
    assert 0 < len(read_metrics(one / run)) < 60
    home = tmp_path / "home"
    home.mkdir()
    subprocess.run(
        [sys.executable, "-m", "experiments.sitting", "unpack", str(two / "out")],
        cwd=home,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=True,
    )

    whole = tmp_path / "whole"
    plan = override(tiny(PLANS["Sorting"]), SETTINGS)
    forks = Forks()
    request.addfinalizer(forks.close)
    flags = Experiment(plan, whole).flags("adaptive", 0)
    assert forks.run(["train", *flags], tmp_path).returncode == 0
    unbroken = [*read_metrics(whole / "runs" / "adaptive" / "0").values()]
    carried = [*read_metrics(home / run).values()]
    assert [row["step"] for row in carried] == [*range(1, 61)]
    assert any(row["trained_groups"] for row in carried[-20:])
    assert [known(row) for row in carried] == [known(row) for row in unbroken]
    files = ("model/adapter_model.safetensors",)
    for file in files:
        place = Path("checkpoints") / "step-000060" / file
        ended = whole / "runs" / "adaptive" / "0" / place
        assert (home / run / place).read_bytes() == ended.read_bytes()


@pytest.mark.slow
def test_the_matrix_is_a_job_of_a_sitting(tmp_path, capsys):
    (tmp_path / "wheels").mkdir()
    words = ["pack", str(tmp_path / "packed"), "--wheels", str(tmp_path / "wheels"), "--matrix"]
    assert sitting.main(words) == 0
    job = capsys.readouterr().out.splitlines()[-1]
    assert job.endswith("-- python3 -m gpu.matrix")
    bare = machine(tmp_path / "bare", tmp_path / "packed")
    words = job.replace("python3", sys.executable).replace("IN OUT", "in out").split()
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    words += ["--device", "cpu", "--only", "float32"]
    done = subprocess.run(words, cwd=bare, env=plain, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 of 2 cases hold on a CPU" in done.stdout


def test_each_plan_is_a_job_with_the_models_that_travel():
    said = [*lines(["qwen-0.5b", "qwen-1.5b"], matrix=False, trl=True)]
    assert not [line for line in said if "Qwen/" in line]
    jobs = {line.partition(" -- ")[2]: line.partition(" -- ")[0] for line in said}
    start = "python3 -m experiments.start --lora-rank 8 --model models/qwen-1.5b"
    assert start in jobs
    [general] = [job for job in jobs if "generalisation" in job]
    assert general.startswith(f"sh -c '{start} && python3 -m experiments.generalisation ")
    assert "--keep runs/start runs/generalisation " in jobs[general]
    assert "--benchmarks IN" in general
    [larger] = [job for job in jobs if "Sorting-1.5B" in job]
    assert larger.endswith("--discard --set policy.model=models/qwen-1.5b")
    assert len([job for job in jobs if "beside_trl.py" in job]) == 2


def machine(folder, *sources):
    """A bare machine, to which these parts have been carried."""
    (folder / "in").mkdir(parents=True)
    for part in [part for source in sources for part in source.iterdir()]:
        (folder / "in" / part.name).write_bytes(part.read_bytes())
    subprocess.run("cat in/code.tar.gz.* | tar xz", shell=True, cwd=folder, check=True)
    return folder


def sit(folder, *program):
    experiment = ["Sorting", "--tiny", "--only", "adaptive/0", "--set", *SETTINGS]
    words = ["-m", "experiments.sitting", "run", "in", "out", "--keep", "runs/Sorting"]
    words += ["--seconds", "500", "--", sys.executable, *program, *experiment]
    return subprocess.Popen([sys.executable, *words], cwd=folder)


def wait_for(file, process):
    """Wait for three steps."""
    deadline = time.monotonic() + 300
    while not file.exists() or file.read_text().count("\n") < 3:
        assert process.poll() is None, "it ended before its third step"
        assert time.monotonic() < deadline
        time.sleep(0.02)


def known(row):
    """A step's metrics, but how long it took."""
    return {name: value for name, value in row.items() if name != "seconds"}


# Parts.


def test_parts_are_joined_and_missing_ones_are_told(tmp_path):
    file = tmp_path / "model.gguf"
    file.write_bytes(bytes(range(25)))
    parts = tmp_path / "parts"
    parts.mkdir()
    split(file, parts, 10)
    names = ["model.gguf.001-of-003", "model.gguf.002-of-003", "model.gguf.003-of-003"]
    assert sorted(part.name for part in parts.iterdir()) == names
    taken = (parts / names[1]).rename(tmp_path / names[1])
    with pytest.raises(SystemExit, match=r"has 2 parts of model.gguf, not 003"):
        join(parts)
    taken.rename(parts / names[1])
    join(parts)
    assert (parts / "model.gguf").read_bytes() == file.read_bytes()


def experiment(tokens=None):
    """A folder of an experiment, relative to the present one, with what a run leaves there."""
    folder = Path("runs") / "try"
    run = folder / "runs" / "adaptive" / "0"
    for step in (1, 2, 3):
        place = checkpoint_folder(run, step)
        (place / "model").mkdir(parents=True)
        (place / "model" / "weights").write_bytes(os.urandom(1000))
    for other in ("exported/step-000003", "../../../model"):
        (run / other).mkdir(parents=True)
        (run / other / "weights").write_bytes(os.urandom(1000))
    rows = [json.dumps({"step": step, "tokens": 30}) + "\n" for step in (1, 2, 3)]
    (run / "metrics.jsonl").write_text("".join(rows))
    (folder / "plan.json").write_text(json.dumps({"tokens": tokens}))
    return folder


@pytest.mark.parametrize(("tokens", "steps"), [(None, {3}), (40, {1, 3}), (1000, {3})])
def test_what_a_run_needs_to_go_on_is_kept(tmp_path, monkeypatch, tokens, steps):
    monkeypatch.chdir(tmp_path)
    folder = experiment(tokens)
    kept = {str(file.relative_to(folder)) for file in contents(folder, checkpoints=True)}
    run = "runs/adaptive/0"
    weights = {f"{run}/checkpoints/step-{step:06d}/model/weights" for step in steps}
    assert kept == {"plan.json", f"{run}/metrics.jsonl", *weights}


def test_what_was_kept_is_restored_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = experiment()
    metrics = folder / "runs" / "adaptive" / "0" / "metrics.jsonl"
    before = metrics.read_text()
    parts = keep([folder, Path("runs/other")], Path("packed"), 1000, checkpoints=True)
    assert len(parts) > 1
    metrics.write_text("older")
    unpack(Path("packed"))
    assert metrics.read_text() == before
    metrics.write_text("newer")
    unpack(Path("packed"))  # the next command on the same machine
    assert metrics.read_text() == "newer"


@pytest.fixture
def small(monkeypatch):
    """A call that returns two parts of a thousand bytes, and eight in all."""
    monkeypatch.setattr(sitting, "PART", 1000)
    monkeypatch.setattr(sitting, "TOGETHER", 2000)


def run_there(command, *, seconds=60):
    words = ["run", "in", "out", "--keep", "runs/try", "--seconds", str(seconds)]
    return sitting.main([*words, "--", sys.executable, "-c", command])


def test_what_one_call_cannot_return_is_left_for_another(tmp_path, monkeypatch, small, capsys):
    monkeypatch.chdir(tmp_path)
    folder = experiment(tokens=40)
    place = folder / "runs" / "adaptive" / "0" / "checkpoints" / "step-000001" / "model" / "more"
    place.write_bytes(os.urandom(1500))
    assert run_there("pass") == 0
    total = int(next(Path("packed").iterdir()).name[-3:])
    assert total > 4
    calls = 1
    while "; 0 more are for `rest`" not in capsys.readouterr().out:
        calls += 1
        assert sitting.main(["rest", "out"]) == 0
    assert calls == -(-total // 2)
    assert len([*Path("out").iterdir()]) == total


def test_checkpoints_that_cannot_be_carried_are_left_out(tmp_path, monkeypatch, small):
    monkeypatch.chdir(tmp_path)
    folder = experiment()
    weights = folder / "runs" / "adaptive" / "0" / "checkpoints" / "step-000003" / "model" / "more"
    weights.write_bytes(os.urandom(10_000))
    with pytest.raises(SystemExit, match=r"of adapters can be carried away(?s:.*)begin again"):
        run_there("pass")
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path / "home")
    unpack(tmp_path / "out")
    restored = {file.name for file in folder.rglob("*") if file.is_file()}
    assert restored == {"plan.json", "metrics.jsonl"}


SAVING = """
import signal, sys, time
from pathlib import Path
def save(*_):
    Path("runs/try/saved").write_text("all of it")
    sys.exit(130)
signal.signal(signal.SIGINT, save)
time.sleep(60)
"""


def test_a_command_saves_what_it_has_when_its_time_is_up(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = experiment()
    assert run_there(SAVING, seconds=2) == 130
    (folder / "saved").unlink()
    unpack(Path("out"))
    assert (folder / "saved").read_text() == "all of it"


def test_one_that_does_not_end_is_ended(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    experiment()
    monkeypatch.setattr(sitting, "ROOM", 0.5)
    monkeypatch.setattr(sitting, "AT_ONCE", 0.5)
    deaf = "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); time.sleep(60)"
    assert run_there(deaf, seconds=1) == -signal.SIGKILL
    assert [*Path("out").iterdir()]
