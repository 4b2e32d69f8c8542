import subprocess
import sys

import pytest

import rlve
from rlve.reports.training import headline
from rlve.server.studio.saved import write_report
from rlve.train.history import phases, read_history, read_steps
from support.run_folders import run_folder


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            {},
            "In 20 steps and 40 s, nano climbed from difficulty 0 to 4 in Sorting. "
            "SAT is still at 0; its accuracy there went from 5% to 100%.",
        ),
        ({"risen": 2}, "nano climbed from difficulty 0 to 4 in Sorting and to 4 in SAT."),
        ({"risen": 0, "names": ["SAT"]}, "nano mastered no level. SAT is still at 0; its accuracy"),
        ({"steps": 1, "names": ["SAT"]}, "SAT is still at 0; its accuracy there is 5%."),
        ({"static": [0, 1]}, "nano went from 5% to 100% accuracy on difficulties 0 to 1."),
        ({"dataset": "questions.jsonl"}, "nano went from 5% to 100% accuracy."),
        (
            {"names": [f"E{i}" for i in range(50)], "risen": 25},
            "climbed in 25 of 50 environments: h went from 0 to 2.0 on average, and to 4 in E0.",
        ),
        (
            {"names": [f"E{i}" for i in range(50)], "risen": 0},
            "nano mastered no level of its 50 environments.",
        ),
    ],
)
def test_the_headline(tmp_path, settings, sentence):
    assert sentence in headline(read_history(run_folder(tmp_path, **settings)))


def test_no_time_is_lost(tmp_path):
    found = phases(read_steps(run_folder(tmp_path, steps=4)))
    assert {phase: sum(values) for phase, values in found.items()} == {
        "rollouts": 4.0,
        "update": 2.0,
        "validation": 0.0,
        "checkpoint": 0.0,
        "other": 2.0,
    }


def test_damage_is_named(tmp_path):
    with pytest.raises(rlve.UserError, match="is not the folder of a training run"):
        read_history(tmp_path)
    folder = run_folder(tmp_path, steps=3)
    with (folder / "metrics.jsonl").open("a") as file:
        file.write('{"step": 4, "rew')  # of a run that is still going
    assert [step.step for step in read_history(folder).steps] == [1, 2, 3]
    (folder / "metrics.jsonl").write_text("nonsense\n")
    assert read_history(folder).steps == []  # the line is left out, with a notice
    (folder / "metrics.jsonl").write_text("")
    with pytest.raises(rlve.UserError, match="no finished step"):
        write_report(folder)
    (folder / "config.json").write_text("{")
    with pytest.raises(rlve.UserError, match=r"config\.json is damaged"):
        read_history(folder)


def test_a_report_needs_neither_torch_nor_a_web_server():
    code = (
        "import sys, rlve.server.studio.saved; "
        "print(any(name in sys.modules for name in ('torch', 'fastapi', 'numpy')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_checkpoint_goes_by_the_name_of_its_run(tmp_path):
    folder = run_folder(tmp_path)
    text = (folder / "config.json").read_text()
    for model in (
        "runs/taught/checkpoints/step-000400/model",
        "runs/taught/checkpoints/step-000400",
    ):
        (folder / "config.json").write_text(text.replace("some/where/nano", model))
        assert headline(read_history(folder)).startswith("In 20 steps and 40 s, taught climbed")
