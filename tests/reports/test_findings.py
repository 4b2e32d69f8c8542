from dataclasses import replace

import msgspec
import pytest

pytest.importorskip("torch", reason="training needs rlve[train]")

from rlve.registry import environment
from rlve.reports.findings import cost, notes, sentences, table
from rlve.studies.comparison import summarise
from rlve.studies.experiments import Cell, environments_of
from rlve.studies.folder import claim
from rlve.studies.records import read_results
from support.experiment_folders import PLAN, SCALING, half_done, record


def differences(results):
    """The difference from the first way on what was trained, by what and how."""
    return {row[:3]: row[3] for row in table(results, summarise(results)).rows if row[2]}


def test_how_far_adaptive_difficulty_is_ahead_or_behind(tmp_path):
    results = read_results(half_done(tmp_path / "experiment"))
    sorting, programs = sentences(results, summarise(results))
    assert sorting.startswith("Sorting, after 4 steps: adaptive 30.5%, ")
    assert "The first is ahead by +15.0 (" in sorting
    assert programs.startswith("ABProgramSimulation, after 6 steps:")
    pair = ("Sorting", "static [0, 1]", "adaptive")
    assert differences(results)[pair].startswith("-15.0 (")
    # The same with the measurements of the two exchanged:
    for seed in (0, 1):
        first, second = (Cell("Sorting", setting, seed) for setting in ("adaptive", "static-0-1"))
        measured = results.measured
        measured[first], measured[second] = measured[second], measured[first]
    assert differences(results)[pair].startswith("+15.0 (")


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


def test_collections_are_compared_on_what_none_was_trained_on(tmp_path):
    plan = replace(SCALING, seeds=(0,))
    claim(plan, tmp_path)
    for cell in plan.cells():
        more = cell.trained_on == "C4"
        record(plan, tmp_path, cell, 6 if more else 4, held_out=0.05 if more else 0.0)
    results = read_results(tmp_path)
    told, *_ = sentences(results, summarise(results))
    assert told == (  # at the last step of both
        "Held-out environments, after 4 steps: C4 (4 environments) 40.0%, C1 (1 environment) "
        "20.0%. The first is ahead by +20.0 (+20.0 to +20.0) points."
    )
    [_, row] = table(results, summarise(results)).rows
    assert row[:5] == ("C4", "adaptive", "C1 (1 environment)", "-", "+20.0 (+20.0 to +20.0)")


@pytest.mark.parametrize(
    ("steps", "height"),
    [
        (2, "still 0 in all environments."),
        (4, "from 0 to 1, 0.2 on average, and 0 in 75% of the environments."),
    ],
)
def test_collections_may_be_compared_on_nothing(steps, height, tmp_path):
    plan = replace(SCALING, test=replace(SCALING.test, held_out=0), seeds=(0,))
    claim(plan, tmp_path)
    for cell in plan.cells():
        record(plan, tmp_path, cell, steps)
    results = read_results(tmp_path)
    assert [row[2:] for row in table(results, summarise(results)).rows] == [
        ("", "", "", *"----"),
        ("C1 (1 environment)", *"------"),
    ]
    [told] = sentences(results, summarise(results))
    assert told == f"C4, adaptive: h is {height}"


@pytest.mark.parametrize("study", ["rlve-vs-rlvr", "curricula"])
def test_what_was_trained_on_several_things_is_told_of_each(study, tmp_path):
    plan = replace(PLAN, study=study, settings=("static-0-4", "adaptive"), seeds=(0,))
    claim(plan, tmp_path)
    for cell in plan.cells():
        record(plan, tmp_path, cell, 6 if cell.trained_on == "Sorting" else 4)
    results = read_results(tmp_path)
    sorting, programs = sentences(results, summarise(results))
    assert sorting.startswith("Sorting, after 6 steps: adaptive 40.0%, static [0, 4] ")
    assert programs.startswith("ABProgramSimulation, after 4 steps: adaptive ")
    told = differences(results)  # from Algorithm 1, wherever it stands in the plan
    assert {key: value[:5] for key, value in told.items()} == {
        ("Sorting", "static [0, 4]", "adaptive"): "-20.0",
        ("ABProgramSimulation", "static [0, 4]", "adaptive"): "-20.0",
    }


def test_test_problems_that_came_up_in_training_are_told_apart(tmp_path):
    """Of ten at each level, the first came up in one run and the second in another."""
    plan = replace(PLAN, trained_on=("Sorting",), settings=("adaptive", "static-0-1"), seeds=(0, 1))
    claim(plan, tmp_path)
    for cell in plan.cells():
        record(plan, tmp_path, cell, 4)
    results = read_results(tmp_path)
    whole = table(results, summarise(results)).rows
    levels = range(plan.test.levels)
    marks = ("1000000000", "0000000000", "0000000000", "0100000000")
    for cell, seen in zip(plan.cells(), marks, strict=True):
        last = results.measured[cell][-1]
        marked = msgspec.structs.replace(last, seen={"Sorting": dict.fromkeys(levels, seen)})
        results.measured[cell][-1] = marked
    adaptive, static = (row[5:] for row in table(results, summarise(results)).rows)
    # At the start only the first of ten is solved; at the end the first three, or only the first.
    n = plan.test.levels
    assert adaptive == (f"{8 * n} of {10 * n}", "0.0%", "12.5%", "")
    assert static[:3] == (f"{8 * n} of {10 * n}", "0.0%", "0.0%")
    assert static[3].startswith("-12.5 (")
    # A run that has not counted them, as in early versions, leaves open which they are.
    last = results.measured[cell]
    last[-1] = msgspec.structs.replace(last[-1], seen=msgspec.UNSET)
    assert table(results, summarise(results)).rows == whole


def test_what_is_not_compared_is_named(tmp_path):
    training = replace(PLAN.training, run=replace(PLAN.training.run, steps=6))
    settings = ("adaptive", "static-0-1")
    plan = replace(PLAN, training=training, trained_on=("Sorting",), settings=settings)
    claim(plan, tmp_path)
    for cell, steps in zip(plan.cells(), (6, 6, 0, 4), strict=True):
        record(plan, tmp_path, cell, steps)
    results = read_results(tmp_path)
    told = sentences(results, summarise(results))
    assert told[0].startswith("Sorting, after 6 steps: adaptive 40.0%")
    [behind] = [text for text in notes(results) if "compared" in text or "reached" in text]
    assert behind.startswith(
        "Not compared, because others are further: Sorting/adaptive/1 (at step 0), "
        "Sorting/static-0-1/1 (at step 4). A run that has only been measured at the start is"
    )


def test_an_environment_may_end_at_difficulty_0(tmp_path, monkeypatch):
    monkeypatch.setattr(environment("Sorting"), "max_difficulty", 0)
    plan = replace(SCALING, trained_on=("C4",), settings=("static-0-4",), seeds=(0,))
    low = [name for name in environments_of("C4") if environment(name).max_difficulty == 0]
    assert low == ["Sorting"]
    claim(plan, tmp_path)
    for cell in plan.cells():
        record(plan, tmp_path, cell, 4)
    assert (
        "C4, static [0, 4]: 1 environment of 4 end below that" in notes(read_results(tmp_path))[1]
    )


def test_what_it_took_says_how_many_one_command_ran(tmp_path):
    told = cost(read_results(half_done(tmp_path / "experiment")))
    assert told.endswith("start-up not counted; a command ran up to 4 at a time.")
