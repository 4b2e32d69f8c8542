import re
import subprocess
import sys

import pytest

import rlve
from rlve.reports import figures
from rlve.reports.figures import png
from rlve.reports.figures import training as pictures
from rlve.reports.pages import duration
from rlve.reports.training import choose_samples, headline, page, write_report
from rlve.train.history import read_history, read_steps
from support.run_folders import run_folder


@pytest.fixture(autouse=True)
def small_pictures(monkeypatch):
    monkeypatch.setattr(figures, "DPI", 20)


def test_the_page_is_one_file_and_says_what_was_learnt(tmp_path):
    folder = run_folder(tmp_path / "run", samples=[(1, "Sorting"), (20, "Sorting")])
    place = write_report(folder)
    text = place.read_text()
    assert place == folder / "report.html"
    assert text.count("data:image/png;base64,") == 3
    assert not re.search(r'(src|href)="(?!data:)', text)
    for words in ("The staircase", "Where the time went", "Settings", "some/where/nano"):
        assert words in text
    assert headline(read_history(folder)) in text
    assert {path.name for path in folder.iterdir()} == {
        "config.json",
        "metrics.jsonl",
        "report.html",
        "rollouts.jsonl",
    }


def test_what_the_policy_wrote_is_escaped_and_shortened(tmp_path):
    text = page(read_history(run_folder(tmp_path, samples=[(20, "Sorting")])))
    assert "<script>" not in text
    assert "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &lt;/pre&gt;" in text
    assert "7,000 characters left out" in text
    assert "correct, reward 1" in text
    assert "ill-formed, reward -1" in text


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


@pytest.mark.parametrize(("count", "steps"), [(0, 20), (1, 1), (3, 1), (12, 20), (40, 1)])
def test_pages_of_every_size(tmp_path, count, steps):
    names = [f"Environment{i}" for i in range(count)]
    text = page(read_history(run_folder(tmp_path, names, steps=steps)))
    assert text.count("data:image/png;base64,") == (3 if count else 2)


def test_the_staircase_begins_at_zero_and_ends_at_h(tmp_path):
    figure = pictures.staircase(read_history(run_folder(tmp_path, ["Sorting"])))
    stairs = figure.axes[0].get_lines()[0]
    assert stairs.get_xdata()[0] == 0
    assert stairs.get_ydata()[[0, -1]].tolist() == [0, 4]
    assert [text.get_text() for text in figure.axes[0].texts] == ["Sorting  4"]
    assert png(figure).startswith(b"\x89PNG")


def test_no_time_is_lost(tmp_path):
    found = pictures.phases(read_steps(run_folder(tmp_path, steps=4)))
    assert {phase: sum(values) for phase, values in found.items()} == {
        "rollouts": 4.0,
        "update": 2.0,
        "validation": 0.0,
        "checkpoint": 0.0,
        "other": 2.0,
    }


def test_samples_show_then_and_now_if_there_is_room(tmp_path):
    listed = [(step, name) for step in (1, 10, 20) for name in ("SAT", "Sorting")]
    found = choose_samples(read_history(run_folder(tmp_path, samples=listed)))
    assert [(sample.environment, sample.step) for sample in found] == [
        ("Sorting", 1),  # it has climbed furthest
        ("Sorting", 20),
        ("SAT", 1),
        ("SAT", 20),
    ]
    listed = [(step, f"E{i}") for step in (1, 20) for i in range(9)]
    found = choose_samples(read_history(run_folder(tmp_path, samples=listed)))
    assert [sample.step for sample in found] == [20] * 6


def test_a_running_folder_may_end_in_half_a_line(tmp_path):
    folder = run_folder(tmp_path, steps=3)
    with (folder / "metrics.jsonl").open("a") as file:
        file.write('{"step": 4, "rew')
    assert [step.step for step in read_history(folder).steps] == [1, 2, 3]


def test_damage_is_named(tmp_path):
    with pytest.raises(rlve.UserError, match="is not the folder of a training run"):
        read_history(tmp_path)
    folder = run_folder(tmp_path, steps=3)
    (folder / "metrics.jsonl").write_text("nonsense\n")
    assert read_history(folder).steps == []  # the line is left out, with a notice
    (folder / "metrics.jsonl").write_text("")
    with pytest.raises(rlve.UserError, match="no finished step"):
        write_report(folder)
    (folder / "config.json").write_text("{")
    with pytest.raises(rlve.UserError, match=r"config\.json is damaged"):
        read_history(folder)


def test_a_report_needs_no_torch():
    code = "import sys, rlve.cli.report; print('torch' in sys.modules)"
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


def test_durations():
    assert [duration(s) for s in (4, 291, 7500)] == ["4 s", "4 min 51 s", "2 h 5 min"]
