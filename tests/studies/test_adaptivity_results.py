from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs rlve[train]")

from rlve.reports import figures
from rlve.reports.adaptivity import markdown, write_report
from rlve.studies.adaptivity import label
from rlve.studies.adaptivity_results import read_results, summarise
from support.experiment_folders import PLAN, half_done


@pytest.fixture
def folder(tmp_path):
    return half_done(tmp_path / "experiment")


def test_the_numbers_of_a_setting(folder):
    found = {(s.environment, s.setting): s for s in summarise(read_results(folder))}
    mine = found["Sorting", "adaptive"]
    assert mine.seeds == [0, 1]
    assert mine.step == 4
    assert mine.accuracy == pytest.approx([0.3, 0.31])
    assert mine.effective_prompt_ratio == [0.75, 0.75]  # a step without prompts does not count
    assert mine.rollouts == [30 * PLAN.training.rollout.group] * 2
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


def test_what_is_published_is_drawn_again_from_the_published_metrics(tmp_path, monkeypatch):
    monkeypatch.setattr(figures, "DPI", 20)  # of pictures, which no two machines draw alike
    published = Path(__file__).parents[2] / "docs/results/adaptive-vs-static"
    for name in ("plan.json", "metrics.jsonl", "evaluations.jsonl", "cells.json"):
        (tmp_path / name).write_bytes((published / name).read_bytes())
    write_report(tmp_path)
    for name in ("table.md", "table.json", "metrics.jsonl", "evaluations.jsonl", "cells.json"):
        assert (tmp_path / name).read_bytes() == (published / name).read_bytes(), name


def test_a_setting_has_a_name_for_people():
    assert label("adaptive") == "adaptive"
    assert label("static-0-20") == "static [0, 20]"
