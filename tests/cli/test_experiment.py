import json
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from rlve.cli import main

pytest.importorskip("torch", reason="training needs rlve[train]")

from rlve.reports.adaptivity import markdown, read_results, summarise
from rlve.studies.adaptivity import Evaluation, Facts, Plan, TestConfig, claim, label
from rlve.train.presets import preset

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
def plan():
    return Plan(training=preset("nano"), seeds=(0, 1), test=TestConfig(problems=40, every=2))


def record(plan, folder, cell, steps):
    """What a cell would have written down."""
    place = folder / "cells" / cell.name
    place.mkdir(parents=True)
    static = cell.setting != "adaptive"
    bounds = [int(x) for x in cell.setting.split("-")[1:]] if static else [0, 1]
    with (place / "metrics.jsonl").open("w") as file:
        for step in range(1, steps + 1):
            metrics = {
                "step": step,
                "prompts": 0 if step == 2 else 10,
                "tokens": 2000 if bounds[1] == 20 else 1000,
                "trained_groups": 8,
                "accuracy": None if step == 2 else 0.5,
                "effective_prompt_ratio": 0.0 if step == 2 else 0.25 if static else 0.75,
                "bounds": {cell.environment: bounds},
                "redrawn": {cell.environment: {"too long": step}} if bounds[1] == 100 else {},
                "seconds": {"in all": step * 1.5},
                "loss": 0.1,
            }
            file.write(json.dumps(metrics) + "\n")
    with (place / "evaluations.jsonl").open("wb") as file:
        for step in range(0, steps + 1, 2):
            accuracy = 0.1 + 0.01 * step * (1 if static else 5) + 0.01 * cell.seed * (step > 0)
            evaluation = Evaluation(
                step=step,
                accuracy=accuracy,
                by_level=[accuracy] * plan.test.levels,
                ill_formed=0.0,
                truncated=0.0,
                too_long=3 if cell.environment == "Sorting" else 0,
                tokens=100,
                seconds=1.0,
            )
            file.write(msgspec.json.encode(evaluation) + b"\n")
    drawn = (bounds[0], min(bounds[1], 42)) if static else None
    facts = Facts(drawn_from=drawn, device="cpu", torch="2")
    (place / "cell.json").write_bytes(msgspec.json.encode(facts))


@pytest.fixture
def folder(plan, tmp_path):
    """An experiment whose first seed is finished, and the second under way."""
    folder = tmp_path / "experiment"
    claim(plan, folder)
    for cell in plan.cells():
        if cell.seed == 0:
            record(plan, folder, cell, 6)
        elif cell.environment == "Sorting":
            record(plan, folder, cell, 4)
    return folder


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


def test_the_numbers_of_a_setting(folder):
    found = {(s.environment, s.setting): s for s in summarise(read_results(folder))}
    mine = found["Sorting", "adaptive"]
    assert mine.seeds == [0, 1]
    assert mine.step == 4
    assert mine.accuracy == pytest.approx([0.3, 0.31])
    assert mine.effective_prompt_ratio == [0.75, 0.75]  # a step without prompts does not count
    assert mine.rollouts == [240, 240]
    assert mine.tokens == [4000, 4000]
    assert mine.at_equal_tokens == mine.accuracy
    assert mine.trained_groups == [32, 32]
    # It samples twice as many tokens a step: the fewest, 4,000, are spent after step 2 of 4; and
    # 6,000 in the middle between steps 2 and 4 of 6.
    assert found["Sorting", "static-0-20"].at_equal_tokens == pytest.approx([0.12, 0.13])
    assert found["ABProgramSimulation", "static-0-20"].at_equal_tokens == pytest.approx([0.13])
    assert found["Sorting", "static-0-100"].dropped == [4, 4]
    assert found["ABProgramSimulation", "static-0-100"].dropped == [6]
    assert "| Sorting | static [0, 100] | 2 | 4 | 10.0% | 14.5 ± 0.7% |" in markdown(
        list(found.values())
    )


def test_without_the_cells_the_collected_metrics_are_enough(folder, tmp_path):
    assert main([*COMMAND, "--collect", "--run.folder", str(folder)]) == 0
    kept = tmp_path / "kept"
    kept.mkdir()
    for name in ("plan.json", "metrics.jsonl", "evaluations.jsonl", "cells.json"):
        (kept / name).write_bytes((folder / name).read_bytes())
    assert main([*COMMAND, "--collect", "--run.folder", str(kept)]) == 0
    for name in FILES:
        assert (kept / name).read_bytes() == (folder / name).read_bytes(), name


def test_the_published_table_is_that_of_the_published_metrics():
    folder = Path(__file__).parents[2] / "docs/results/adaptive-vs-static"
    assert (folder / "table.md").read_text() == markdown(summarise(read_results(folder)))


def test_a_setting_has_a_name_for_people():
    assert label("adaptive") == "adaptive"
    assert label("static-0-20") == "static [0, 20]"


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


def test_another_plan_is_refused(folder, capsys):
    assert main([*COMMAND, "--run.folder", str(folder), "--only", "Sorting"]) == 2
    assert "belongs to an experiment with other settings" in capsys.readouterr().err


def test_nothing_to_collect_is_said(tmp_path, plan, capsys):
    assert main([*COMMAND, "--collect", "--run.folder", str(tmp_path)]) == 2
    assert "no plan.json" in capsys.readouterr().err
    claim(plan, tmp_path / "new")
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
