from dataclasses import replace

import pytest

pytest.importorskip("torch", reason="training needs rlve[train]")

from rlve.reports.findings import findings, notes
from rlve.studies.collected import read_results
from rlve.studies.comparison import summarise
from rlve.studies.experiments import Cell, claim
from support.experiment_folders import PLAN, half_done, record


def test_how_far_adaptive_difficulty_is_ahead_or_behind(tmp_path):
    results = read_results(half_done(tmp_path / "experiment"))
    sorting, programs = findings(results, summarise(results))
    assert sorting.startswith("Sorting, after 4 steps: 30.5% with adaptive difficulty, 14.5% with")
    assert "Adaptive against static [0, 1]: +15.0 points" in sorting
    assert programs.startswith("ABProgramSimulation, after 6 steps:")
    # The same with the measurements of the two exchanged:
    for seed in (0, 1):
        first, second = (Cell("Sorting", setting, seed) for setting in ("adaptive", "static-0-1"))
        measured = results.measured
        measured[first], measured[second] = measured[second], measured[first]
    sorting, _ = findings(results, summarise(results))
    assert "Adaptive against static [0, 1]: -15.0 points" in sorting


def test_why_a_range_was_not_drawn_from_whole(tmp_path):
    plan = replace(PLAN, trained_on=("Sorting", "SpiralMatrix"), seeds=(0,))
    claim(plan, tmp_path)
    for cell in plan.cells():
        record(plan, tmp_path, cell, 6)
    told = notes(read_results(tmp_path))
    assert [text for text in told if "was drawn from" in text] == [
        "Sorting, static [0, 100]: only [0, 42] was drawn from, because the prompts above "
        "difficulty 42 are several times longer than the limit of 512 tokens; problems in it "
        "that were too long were replaced.",
        "SpiralMatrix, static [0, 100]: only [0, 20] was drawn from, because the environment ends "
        "there; problems in it that were too long were replaced.",
    ]
