"""Pictures of what is published, also by an earlier version."""

import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="pictures need matplotlib")

from experiments import pictures, readme_picture

RESULTS = Path(__file__).parents[2] / "docs" / "results"


@pytest.mark.parametrize(
    ("page", "trained_on", "arms"), [("curricula/nano", 1, 3), ("adaptivity", 3, 4)]
)
def test_results_of_an_earlier_version_are_drawn_as_far_as_they_go(
    page, trained_on, arms, tmp_path, capsys
):
    for name in ("plan.json", "metrics.jsonl", "validation.jsonl"):
        shutil.copy(RESULTS / page / name, tmp_path)
    pictures.main([str(tmp_path)])
    assert [file.name for file in tmp_path.glob("*.png")] == ["curves.png"]
    assert "version 0.2 (commit c6cf312f): its records have neither h" in capsys.readouterr().out
    experiment = pictures.read_experiment(tmp_path)
    assert [len(each) for each in experiment.values()] == [arms] * trained_on
    rows = pictures.read_lines(tmp_path / "metrics.jsonl")
    runs = [run for each in experiment.values() for runs in each.values() for run in runs]
    assert sum(len(run.steps) for run in runs) == len(rows)


def test_what_cannot_be_drawn_is_told():
    with pytest.raises(SystemExit, match="of an experiment: its records cannot be drawn"):
        pictures.main([str(RESULTS / "worked")])


def test_tokens_are_those_sampled_before_a_measurement(tmp_path):
    run = pictures.Run({1: {"tokens": 1_000_000}, 2: {"tokens": 500_000}}, [])
    assert pictures.million_tokens(run) == {0: 0.0, 1: 1.0, 2: 1.5}


def test_readmes_picture_is_drawn(tmp_path):
    readme_picture.main(tmp_path / "adaptive.png")
    assert (tmp_path / "adaptive.png").stat().st_size > 10_000
    plan = json.loads((RESULTS / "adaptive-vs-static" / "plan.json").read_text())
    assert {*readme_picture.NAMES} == {*plan["settings"]}
