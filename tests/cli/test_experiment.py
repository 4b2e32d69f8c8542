import re
import signal
import subprocess
import sys
import threading
from io import StringIO

import pytest

from rlve.cli import main

pytest.importorskip("torch", reason="training needs rlve[train]")

from rlve.cli._cells import STOPPING, Board, Lines, announcement
from rlve.studies.cells import CellState
from rlve.studies.experiments import Cell
from rlve.studies.folder import claim
from rlve.train.presets import preset
from support.experiment_folders import PLAN, SCALING, half_done, scaled

FILES = [
    "cells.json",
    "changes.png",
    "curves.png",
    "levels.png",
    "metrics.jsonl",
    "plan.json",
    "report.html",
    "table.json",
    "table.md",
    "validation.jsonl",
]
COMMAND = ["experiment", "adaptivity"]


@pytest.fixture
def folder(tmp_path):
    return half_done(tmp_path / "experiment")


@pytest.fixture
def plans(monkeypatch):
    """The plans of experiments that are not run."""
    plans = []
    monkeypatch.setattr("rlve.cli.experiment.claim", lambda plan, folder: plans.append(plan))
    monkeypatch.setattr("rlve.cli.experiment.run_cells", lambda *arguments, **settings: None)
    monkeypatch.setattr("rlve.cli.experiment.check_model", lambda policy: None)
    monkeypatch.setattr("rlve.train.fit.fit", lambda config: config)  # needs the model
    return plans


# What there is.


def test_what_is_there_becomes_a_table_pictures_and_a_page(folder, capsys, painted):
    assert main([*COMMAND, "--collect", "--run.folder", str(folder)]) == 0
    assert sorted(p.name for p in folder.iterdir() if p.is_file()) == FILES
    out = capsys.readouterr().out
    assert len(re.findall(r"^(?:Sorting|ABProgramSimulation)  ", out, re.MULTILINE)) == 8
    table = out.split("\n\n")[0].splitlines()
    assert max(map(len, table)) <= 80
    assert "Sorting, after 4 steps: adaptive 30.5%, static" in out
    assert "ABProgramSimulation, after 6 steps: adaptive 40.0%, static [0, 1] 16.0%" in out
    assert "static [0, 1], against adaptive: trained -20.0 (" in out
    assert "4 of 16 runs have no results yet" in out
    assert f"12 runs had not reached step {preset('nano').run.steps}" in out
    assert "prompts above difficulty 42" in out
    assert "3 of the 200 problems" in out
    assert "up to 4 at a time" in out
    page = (folder / "report.html").read_text()
    assert page.count("data:image/png;base64,") == 3
    assert not re.search(r'(src|href)="(?!data:)', page)
    for name in ("curves.png", "levels.png", "changes.png"):
        assert (folder / name).read_bytes().startswith(b"\x89PNG")
    assert (folder / "table.md").read_text().count("\n") == 10


def test_environment_scaling_says_what_became_of_what_is_held_out(tmp_path, capsys, painted):
    folder = scaled(tmp_path / "experiment")
    assert (
        main(["experiment", "environment-scaling", "--collect", "--run.folder", str(folder)]) == 0
    )
    out = capsys.readouterr().out
    assert "Held-out environments, after 6 steps: C4 (4 environments) 50.0%, C1 (1" in out
    assert "C4, adaptive, against C1 (1 environment): held out +30.0 (+30.0 to +30.0)" in out
    assert "C4, adaptive: h is from 0 to 1, 0.2 on average, and 0 in 75% of the" in out
    assert (folder / "spread.png").exists()  # C4 has several environments


def test_without_the_cells_the_collected_metrics_are_enough(folder, tmp_path):
    assert main(["report", str(folder)]) == 0
    kept = tmp_path / "kept"
    kept.mkdir()
    for name in ("plan.json", "metrics.jsonl", "validation.jsonl", "cells.json"):
        (kept / name).write_bytes((folder / name).read_bytes())
    assert main(["report", str(kept)]) == 0
    for name in FILES:
        assert (kept / name).read_bytes() == (folder / name).read_bytes(), name


def test_nothing_to_collect_is_said(tmp_path, capsys):
    assert main([*COMMAND, "--collect", "--run.folder", str(tmp_path)]) == 2
    assert "no plan.json" in capsys.readouterr().err
    claim(PLAN, tmp_path / "new")
    assert main([*COMMAND, "--collect", "--run.folder", str(tmp_path / "new")]) == 2
    assert "no measured run yet" in capsys.readouterr().err


# What is asked for.


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            [],
            "name the experiment to run; the experiments are generalisation, environment-scaling",
        ),
        (["--jobs", "2"], "name the experiment to run"),
        (["adaptivty"], "did you mean 'adaptivity'?"),
        (["adaptive-vs-static"], "no experiment is named 'adaptive-vs-static'"),
        (["adaptivty", "--run.folder", "adaptivity"], "did you mean 'adaptivity'?"),
        (["--run.folder", "adaptivity", "adaptivty"], "did you mean 'adaptivity'?"),
    ],
)
def test_an_experiment_has_a_name(words, message, plans, capsys):
    assert main(["experiment", *words]) == 2
    assert plans == []
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        ["rlve-vs-rlvr", "--run.folder", "adaptivity"],
        ["--run.folder", "adaptivity", "rlve-vs-rlvr"],
        ["--jobs", "2", "--run.folder", "adaptivity", "rlve-vs-rlvr", "--run.seed", "1"],
    ],
)
def test_the_value_of_a_flag_names_no_experiment(words, plans):
    assert main(["experiment", *words, "--only", "C256/adaptive"]) == 0
    [plan] = plans
    assert plan.study == "rlve-vs-rlvr"
    assert plan.settings == ("adaptive", "fixed-0-4")


def test_the_help_names_the_experiments(capsys):
    assert main(["experiment", "--help"]) == 0
    out = " ".join(re.sub(r"[│╭╰─╮╯]", " ", capsys.readouterr().out).split())
    assert "environment-scaling, adaptivity, rlve-vs-rlvr or curricula" in out
    assert "environment-scaling: one, four, sixteen and 256 environments" in out


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--jobs", "0"], "jobs must be at least 1"),
        (["--settings", "static-5-2"], "unlike static-5-2"),
        (["--settings", "0..20"], "static-0-20 or fixed-0-4, not '0..20'"),
        (["--settings", "fixed-0-2"], "fixed-0-2 needs --fixed-problems"),
        (["--seeds", "0"], "seeds must be at least 1, not 0"),
        (["--seeds", "-2"], "seeds must be at least 1, not -2"),
        (
            ["--data.environments", "SpiralMatrix", "--settings", "static-50-60"],
            "static-50-60 begins above the highest difficulty of SpiralMatrix, which is 20",
        ),
        (["--data.environments", "Sortin"], "did you mean 'Sorting'"),
        (["--data.static", "0", "3"], "use --settings static-0-20 instead"),
        (["--data.dataset", "x.jsonl"], "use --settings fixed-0-4 instead"),
        (["--only", "Sorting/static-0-2"], "no cell is named Sorting/static-0-2"),
        (["--test.problems", "3"], "less than one per environment and level"),
        (["--rollout.group", "1"], "rollout.group must be at least 2"),
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
def test_another_model_is_never_trained_with_the_settings_of_nano(words, name, plans):
    assert main([*COMMAND, *words, "--only", "Sorting/adaptive/0"]) == 0
    [plan] = plans
    assert plan.training.rollout == preset(name).rollout
    assert plan.training.update == preset(name).update
    assert plan.training.policy.format == preset(name).policy.format


@pytest.mark.parametrize(
    ("name", "written", "why"),
    [
        ("Echo", 7, "there are no more distinct ones;"),
        ("Hopeless", 0, "generating failed (Hopeless: error: "),
    ],
)
def test_a_fixed_set_that_is_too_small_is_not_trained_on(name, written, why, own_tasks, rlve):
    words = ["rlve-vs-rlvr", "--data.environments", f"own_tasks.py:{name}", "--test.held-out", "0"]
    result = rlve("experiment", *words, "--fixed-problems", 20, "--run.folder", "here")
    assert result.code == 2
    error = result.err.splitlines()[-1]
    assert error.startswith(
        f"rlve: own_tasks.py:{name} has only {written} of the 20 problems for fixed-0-4, because "
        f"{why}"
    )
    assert [path.name for path in (own_tasks / "here").iterdir()] == ["plan.json"]


def test_another_plan_is_refused(folder, capsys):
    assert main([*COMMAND, "--run.folder", str(folder), "--only", "Sorting"]) == 2
    assert "belongs to an experiment with other settings" in capsys.readouterr().err


# While it runs.


def test_what_it_takes_is_said_first(tmp_path):
    cells = SCALING.cells()
    text = announcement(SCALING, cells, cells[1:], tmp_path, 8)
    assert (
        f"environment-scaling in {tmp_path}: 4 cells of 160 steps, 1 finished, 3 at a time." in text
    )
    assert "To do: C4/adaptive/0, C1/adaptive/1, C4/adaptive/1." in text
    # nano: 48 problems at once, 3 times, 16 rollouts each.
    assert f"up to {160 * 48 * 3 * 16:,} outputs for training (144 problems x 16 per step)" in text
    assert "113,400 to measure accuracy (1,400, 81 times)" in text


def state(cell, step, seconds=0.0):
    return CellState(
        cell=cell, step=step, seconds=seconds, trained=(0.1, 0.2), held_out=None, finished=False
    )


def test_the_time_that_is_left_follows_from_the_steps_so_far(capsys):
    now = [0.0]
    lines = Lines(SCALING, clock=lambda: now[0])
    cells = SCALING.cells()[:2]
    lines.watch([state(cell, 60) for cell in cells])  # from an earlier session
    now[0] = 10.0
    lines.watch([state(cell, 65) for cell in cells])
    assert capsys.readouterr().err == ""
    now[0] = 40.0
    lines.watch([state(cells[0], 70), state(cells[1], 90)])
    # 40 steps in 40 s; 160 of 320 are done.
    assert capsys.readouterr().err == "160 of 320 steps, about 2 min 40 s to go\n"
    lines.stopping()
    assert "saves a checkpoint" in capsys.readouterr().err


def test_on_a_terminal_there_is_a_table_of_the_cells():
    from rich.console import Console

    shown = []
    board = Board(SCALING, shown.append)
    board.watch([state(Cell("C4", "adaptive", 1), 40, seconds=75)])
    board.stopping()
    console = Console(width=80, file=StringIO(), record=True)
    console.print(shown[-1])
    text = console.export_text()
    assert re.search(r"C4/adaptive/1\s+40 of 160\s+10\.0 -> 20\.0%\s+1 min 15 s", text)
    assert "40 of 160 steps" in text
    assert " ".join(STOPPING.split()) in " ".join(text.split())


SMALL = (
    "--run.steps 1 --run.workers 1 --rollout.problems 2 --rollout.oversample 2"
    " --rollout.group 2 --rollout.rounds 1 --test.problems 4 --test.levels 2"
    " --seeds 1 --settings adaptive static-0-1 --policy.device cpu"
).split()


def test_training_needs_no_matplotlib(tmp_path):
    script = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import torch; torch.set_num_threads(1)\n"
        "from rlve.cli import main\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    folder = tmp_path / "experiment"
    words = [*COMMAND, *SMALL, "--run.folder", str(folder)]
    words += ["--only", "ABProgramSimulation/adaptive/0"]
    command = [sys.executable, "-c", script, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    first, *_ = done.stderr.splitlines()
    assert first.endswith("1 cell of 1 steps, 0 finished, 1 at a time.")
    assert "ABProgramSimulation/adaptive/0: step 1 of 1" in done.stderr
    assert main([*COMMAND, "--collect", "--run.folder", str(folder)]) == 0


def test_ctrl_c_is_answered_at_once_and_says_how_to_go_on(tmp_path):
    folder = tmp_path / "experiment"
    words = [*COMMAND, *SMALL, "--run.folder", str(folder), "--run.steps", "100000"]
    script = "import sys; from rlve.cli import main; sys.exit(main(sys.argv[1:]))"
    with subprocess.Popen(
        [sys.executable, "-c", script, *words], stderr=subprocess.PIPE, text=True
    ) as command:
        overdue = threading.Timer(300, command.kill)
        overdue.start()
        said = []
        for line in command.stderr:
            said.append(line)
            if "step 0 of 100,000" in line:
                command.send_signal(signal.SIGINT)
        overdue.cancel()
    assert command.returncode == 130
    assert any(line.startswith("Stopping: every run finishes its step") for line in said)
    assert said[-1] == (
        f"rlve: stopped; the same command resumes, and rlve report {folder} shows what is there\n"
    )
    assert main(["report", str(folder)]) == 0  # what is there
