import json
import re

import pytest

from rlve.cli import main
from rlve.studies import simulation

FILES = ["config.json", "environments.png", "metrics.jsonl", "overview.png", "report.html"]
SHORT = ["--steps", "3", "--problems", "6", "--rollouts", "4"]


def simulated(folder, *flags):
    return main(["simulate", "Sorting", "Multiplication", *SHORT, *flags, "--folder", str(folder)])


def test_it_writes_a_folder_and_prints_a_table(tmp_path, capsys):
    folder = tmp_path / "run"
    assert simulated(folder) == 0
    assert sorted(file.name for file in folder.iterdir()) == FILES
    out = capsys.readouterr().out
    for words in ("adaptive", "static [0, 1]", "static [0, 20]", str(folder / "report.html")):
        assert words in out
    records = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert len(records) == 9
    assert records[-1]["setting"] == "static [0, 20]"
    assert records[-1]["high"] == [20, 20]
    config = json.loads((folder / "config.json").read_text())
    assert config["names"] == ["Sorting", "Multiplication"]
    first, second, _ = config["settings"]
    assert (first["curriculum"], first["static"], first["tau_num"]) == ("adaptive", None, 32)
    assert second == {**first, "static": [0, 1], "tau_num": None}


def test_the_report_is_one_file_with_its_pictures_inside(tmp_path, painted):
    assert simulated(tmp_path) == 0
    page = (tmp_path / "report.html").read_text()
    assert page.count("data:image/png;base64,") == 2
    assert not re.search(r'(src|href)="(?!data:)', page)
    assert "Multiplication" in page
    for name in ("overview.png", "environments.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


def test_the_same_command_gives_the_same_files(tmp_path, painted):
    for name in "ab":
        assert simulated(tmp_path / name, "--seed", "5") == 0
    for name in FILES:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_every_combination_is_a_setting(tmp_path):
    flags = ["--tau-acc", "0.8", "0.9", "--window", "2", "4", "--tau-num", "16", "--static", "0..3"]
    assert simulated(tmp_path, *flags) == 0
    lines = (tmp_path / "metrics.jsonl").read_text().splitlines()
    assert list(dict.fromkeys(json.loads(line)["setting"] for line in lines)) == [
        "adaptive tau_acc=0.8 window=2",
        "adaptive tau_acc=0.8 window=4",
        "adaptive tau_acc=0.9 window=2",
        "adaptive tau_acc=0.9 window=4",
        "static [0, 3]",
    ]


def test_static_ranges_alone_and_none_at_all(tmp_path):
    assert simulated(tmp_path / "static", "--tau-acc", "--static", "2") == 0
    assert simulated(tmp_path / "adaptive", "--static") == 0
    for name, setting in (("static", "static [2, 2]"), ("adaptive", "adaptive")):
        lines = (tmp_path / name / "metrics.jsonl").read_text().splitlines()
        assert {json.loads(line)["setting"] for line in lines} == {setting}


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["Sortin"], "did you mean 'Sorting'"),
        (["--steps", "0"], "steps must be at least 1"),
        (["--rollouts", "1"], "rollouts must be at least 2"),
        (["--tau-acc", "90"], "tau_acc must be above 0"),
        (["--window", "0"], "window"),
        (["--static", "5..2"], "5..2"),
        (["--static", "1,7"], "must look like 0..20, not 1,7"),
        (["--static", "x"], "a difficulty must be an integer"),
        (["--static", "--tau-acc"], "nothing to simulate"),
        (["--evenness", "2"], "evenness"),
        (["--workers", "0"], "at least 1 worker"),
        (["--collection", "C5"], "C5"),
    ],
)
def test_a_bad_setting_is_one_clear_line_and_writes_nothing(flags, message, tmp_path, capsys):
    folder = tmp_path / "run"
    assert main(["simulate", *flags, "--folder", str(folder)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("rlve: ")
    assert message in error
    assert error.count("\n") == 1
    assert not folder.exists()


def test_a_folder_that_is_in_use_is_left_alone(tmp_path, capsys):
    (tmp_path / "metrics.jsonl").write_text("precious")
    assert simulated(tmp_path) == 2
    assert "already exists" in capsys.readouterr().err
    assert (tmp_path / "metrics.jsonl").read_text() == "precious"


def test_a_folder_that_cannot_be_made_is_said(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert simulated(tmp_path / "file" / "run") == 2
    assert "cannot create the folder" in capsys.readouterr().err


def test_an_interrupted_run_shows_the_steps_that_all_settings_have_done(
    tmp_path, capsys, monkeypatch
):
    def interrupted(*args, **kwargs):
        records = simulate(*args, **kwargs)
        yield from (next(records) for _ in range(7))
        raise KeyboardInterrupt

    simulate = simulation.simulate
    monkeypatch.setattr(simulation, "simulate", interrupted)
    assert simulated(tmp_path) == 130
    assert sorted(file.name for file in tmp_path.iterdir()) == FILES
    assert "Stopped after step 2 of 3." in capsys.readouterr().err
    assert "2 steps of 6 problems" in (tmp_path / "report.html").read_text()
