import re
import subprocess
import sys

import pytest

from rlve.cli import main

pytest.importorskip("torch", reason="training needs rlve[train]")

from rlve.studies.adaptivity import claim
from rlve.train.presets import preset
from support.experiment_folders import PLAN, half_done

FILES = [
    "cells.json",
    "curves.png",
    "evaluations.jsonl",
    "levels.png",
    "metrics.jsonl",
    "plan.json",
    "report.html",
    "table.json",
    "table.md",
]
COMMAND = ["experiment", "adaptive-vs-static"]


@pytest.fixture
def folder(tmp_path):
    return half_done(tmp_path / "experiment")


def test_what_is_there_becomes_a_table_pictures_and_a_page(folder, capsys):
    assert main([*COMMAND, "--collect", "--run.folder", str(folder)]) == 0
    assert sorted(p.name for p in folder.iterdir() if p.is_file()) == FILES
    out = capsys.readouterr().out
    assert len(re.findall(r"^(?:Sorting|ABProgramSimulation)  ", out, re.MULTILINE)) == 8
    assert "Sorting, after 4 steps: 30.5% with adaptive difficulty, 14.5% with the best" in out
    assert "ABProgramSimulation, after 6 steps: 40.0% with adaptive difficulty, 16.0%" in out
    assert "At equal tokens: 40.0%, and 16.0% with the best static range, [0, 1]." in out
    assert "4 of 16 runs are not there yet" in out
    assert f"12 runs had not reached step {preset('nano').run.steps}" in out
    assert "prompts above difficulty 42" in out
    assert "3 of the 40 problems" in out
    page = (folder / "report.html").read_text()
    assert page.count("data:image/png;base64,") == 2
    assert not re.search(r'(src|href)="(?!data:)', page)
    for name in ("curves.png", "levels.png"):
        assert (folder / name).read_bytes().startswith(b"\x89PNG")
    assert (folder / "table.md").read_text().count("\n") == 10


def test_without_the_cells_the_collected_metrics_are_enough(folder, tmp_path):
    assert main([*COMMAND, "--collect", "--run.folder", str(folder)]) == 0
    kept = tmp_path / "kept"
    kept.mkdir()
    for name in ("plan.json", "metrics.jsonl", "evaluations.jsonl", "cells.json"):
        (kept / name).write_bytes((folder / name).read_bytes())
    assert main([*COMMAND, "--collect", "--run.folder", str(kept)]) == 0
    for name in FILES:
        assert (kept / name).read_bytes() == (folder / name).read_bytes(), name


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--jobs", "0"], "jobs is at least 1"),
        (["--static", "5..2"], "5..2"),
        (["--static", "1,7"], "such as 0..20, not 1,7"),
        (["--seeds", "0"], "seeds is at least 1"),
        (["--data.environments", "Sortin"], "did you mean 'Sorting'"),
        (["--data.static", "0", "3"], "--static gives those to compare"),
        (["--data.dataset", "x.jsonl"], "leave out data.dataset"),
        (["--only", "Sorting/static-0-2"], "no cell is named Sorting/static-0-2"),
        (["--test.problems", "30"], "does not divide"),
        (["--rollout.group", "1"], "rollout.group is at least 2"),
        (["--preset", "nan"], "did you mean 'nano'"),
    ],
)
def test_a_bad_setting_is_one_clear_line_and_writes_nothing(flags, message, tmp_path, capsys):
    folder = tmp_path / "experiment"
    assert main([*COMMAND, *flags, "--run.folder", str(folder)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("rlve: ")
    assert message in error
    assert error.count("\n") == 1
    assert not folder.exists()


@pytest.mark.parametrize(
    ("words", "name"),
    [([], "nano"), (["--policy.model", "some/model"], "model"), (["--preset=nano"], "nano")],
)
def test_another_model_is_never_trained_with_the_settings_of_nano(words, name, monkeypatch):
    plans = []
    monkeypatch.setattr("rlve.cli.experiment.claim", lambda plan, folder: plans.append(plan))
    monkeypatch.setattr("rlve.cli.experiment.run_cells", lambda *arguments, **settings: None)
    monkeypatch.setattr("rlve.cli.experiment.check_model", lambda policy: None)
    assert main([*COMMAND, *words, "--only", "Sorting/adaptive/0"]) == 0
    [plan] = plans
    assert plan.training.rollout == preset(name).rollout
    assert plan.training.update == preset(name).update
    assert plan.training.policy.format == preset(name).policy.format


def test_another_plan_is_refused(folder, capsys):
    assert main([*COMMAND, "--run.folder", str(folder), "--only", "Sorting"]) == 2
    assert "belongs to an experiment with other settings" in capsys.readouterr().err


def test_nothing_to_collect_is_said(tmp_path, capsys):
    assert main([*COMMAND, "--collect", "--run.folder", str(tmp_path)]) == 2
    assert "no plan.json" in capsys.readouterr().err
    claim(PLAN, tmp_path / "new")
    assert main([*COMMAND, "--collect", "--run.folder", str(tmp_path / "new")]) == 2
    assert "no measured run yet" in capsys.readouterr().err


def test_training_needs_no_matplotlib(tmp_path):
    script = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import torch; torch.set_num_threads(1)\n"
        "from rlve.cli import main\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    small = (
        "--run.steps 1 --run.workers 1 --rollout.problems 2 --rollout.oversample 2"
        " --rollout.group 2 --rollout.rounds 1 --test.problems 4 --test.levels 2"
        " --seeds 1 --static 0..1"
    )
    command = [sys.executable, "-c", script, *COMMAND, *small.split(), "--policy.device", "cpu"]
    folder = tmp_path / "experiment"
    command += ["--run.folder", str(folder), "--only", "ABProgramSimulation/adaptive/0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "ABProgramSimulation/adaptive/0: step 1 of 1" in done.stderr
    assert main([*COMMAND, "--collect", "--run.folder", str(folder)]) == 0
