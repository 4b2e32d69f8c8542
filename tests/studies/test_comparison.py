from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs rlve[train]")

from rlve.reports.experiments import markdown, write_report
from rlve.run_folders import CELL_ORIGINS, METRICS, VALIDATION, run_kind
from rlve.run_folders import PLAN as PLAN_FILE
from rlve.studies.comparison import (
    advantage,
    skipped_cells,
    solve_rates,
    summarise,
    ways,
)
from rlve.studies.folder import claim
from rlve.studies.records import read_results
from support.experiment_folders import OTHERS, PLAN, half_done, record, scaled
from support.pictures import leave_unpainted

RESULTS = Path(__file__).parents[2] / "docs/results"


@pytest.fixture
def folder(tmp_path):
    return half_done(tmp_path / "experiment")


# What is compared.


def test_the_numbers_of_a_setting(folder):
    found = {(s.trained_on, s.setting): s for s in summarise(read_results(folder))}
    mine = found["Sorting", "adaptive"]
    assert mine.seeds == [0, 1]
    assert mine.step == 4
    assert mine.trained.start == pytest.approx([0.1, 0.1])
    assert mine.trained.end == pytest.approx([0.3, 0.31])
    assert mine.held_out is None
    forms = ((form.ill_formed, form.truncated) for form in (mine.form_at_start, mine.form))
    assert [*forms] == [(0.5, 0.25), pytest.approx((0.3, 0.17))]
    # Three of its problems were too long to be asked.
    assert (mine.form_at_start.tokens, mine.form.tokens) == (10.0, 6.0)
    assert mine.effective_prompt_ratio == [0.75, 0.75]  # a step without prompts does not count
    assert mine.high == [1, 1]
    assert mine.rollouts == [30 * PLAN.training.rollout.group] * 2
    assert mine.tokens == [4000, 4000]
    assert mine.trained.at_equal_tokens == mine.trained.end
    assert mine.trained_groups == [32, 32]
    # It samples twice as many tokens a step: the fewest, 4,000, are spent after step 2 of 4; and
    # 6,000 in the middle between steps 2 and 4 of 6.
    static = found["Sorting", "static-0-20"]
    assert static.trained.at_equal_tokens == pytest.approx([0.12, 0.13])
    other = found["ABProgramSimulation", "static-0-20"]
    assert other.trained.at_equal_tokens == pytest.approx([0.13])
    assert static.high is None
    assert found["Sorting", "static-0-100"].dropped == [4, 4]
    assert found["ABProgramSimulation", "static-0-100"].dropped == [6]
    table = markdown(list(found.values()))
    assert "| Sorting | static [0, 100] | 2 | 4 | 10.0% | 14.5 ± 0.7% |" in table
    assert "| 50.0 to 30.0% | 25.0 to 17.0% | 10 to 6 |" in table


def test_with_one_setting_all_collections_are_compared_with_one_another(tmp_path):
    results = read_results(scaled(tmp_path / "experiment"))
    one, four = summarise(results)
    assert [(s.trained_on, s.environments, s.step) for s in (one, four)] == [
        ("C1", 1, 6),
        ("C4", 4, 6),
    ]
    # All ten environments changed by as much, so the bootstrap is sure of it.
    assert one.held_out.change == pytest.approx((0, 0, 0))
    assert four.held_out.change == pytest.approx((0.3, 0.3, 0.3))
    assert four.held_out.change.clear
    cells = ways(results.cells())
    lead = advantage(results, cells["C4", "adaptive"], cells["C1", "adaptive"], 6, "held out")
    assert lead == pytest.approx((0.3, 0.3, 0.3))
    # Those of different environments cannot be paired.
    assert advantage(results, *cells.values(), 6, "trained") is None
    # h rose in one environment of four.
    assert four.high == [0.25, 0.25]
    assert sum(results.highest(cells["C4", "adaptive"][0], 2).values()) == 0


def steps_reached(folder, reached):
    """An experiment of six steps in two ways; `reached` has the steps of each setting/seed."""
    training = replace(PLAN.training, run=replace(PLAN.training.run, steps=6))
    settings = ("adaptive", "static-0-20")
    plan = replace(PLAN, training=training, trained_on=("Sorting",), settings=settings)
    claim(plan, folder)
    for cell in plan.cells():
        if (name := f"{cell.setting}/{cell.seed}") in reached:
            record(plan, folder, cell, reached[name])
    return read_results(folder)


@pytest.mark.parametrize(
    ("reached", "compared", "behind"),
    [
        # One has just begun: the others do not wait for it.
        ([4, 4, 4, 0], (4, [0, 1], [0]), ["static-0-20/1"]),
        ([4, 0, 2, 0], (2, [0], [0]), ["adaptive/1", "static-0-20/1"]),
        ([4, 4, 0, 0], (4, [0, 1], None), ["static-0-20/0", "static-0-20/1"]),
        ([0, 0, 0, 0], (0, [0, 1], [0, 1]), []),
        # None has finished, or none of one way of training: all count.
        ([4, 2, 4, 4], (2, [0, 1], [0, 1]), []),
        ([6, 6, 4, 2], (2, [0, 1], [0, 1]), []),
        # Of each way one has finished: the others, which may have been cut off, do not count.
        ([6, 6, 6, 4], (6, [0, 1], [0]), ["static-0-20/1"]),
        ([6, 2, 4, 6], (6, [0], [1]), ["adaptive/1", "static-0-20/0"]),
        ([6, 6, 6, 6], (6, [0, 1], [0, 1]), []),
    ],
)
def test_a_run_that_is_far_behind_holds_up_no_comparison(reached, compared, behind, tmp_path):
    names = [f"{setting}/{seed}" for setting in ("adaptive", "static-0-20") for seed in (0, 1)]
    results = steps_reached(tmp_path, dict(zip(names, reached, strict=True)))
    found = {summary.setting: summary for summary in summarise(results)}
    step, *seeds = compared
    assert {summary.step for summary in found.values()} == {step}
    assert [found[s].seeds if s in found else None for s in ("adaptive", "static-0-20")] == seeds
    assert sorted(f"{cell.setting}/{cell.seed}" for cell in skipped_cells(results)) == behind


def test_seeds_are_averaged_problem_by_problem(tmp_path):
    results = read_results(scaled(tmp_path / "experiment"))
    cells = ways(results.cells())["C4", "adaptive"]
    found = solve_rates(results, cells, 6, "held out")
    assert {name for name, _ in found} == {*OTHERS}
    assert found[OTHERS[0], 0] == [1.0] * 10 + [0.0] * 10
    later = solve_rates(results, cells, 6, "trained")  # of 20 problems 8 and, with seed 1, 8.2
    assert next(iter(later.values())) == [1.0] * 8 + [0.0] * 12


# What is published.


EXPERIMENTS = sorted(
    str(path.parent.relative_to(RESULTS))
    for path in RESULTS.glob(f"**/{PLAN_FILE}")
    if run_kind(path.parent).name == "experiment"
)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_what_is_published_is_drawn_again_from_the_published_metrics(name, tmp_path, monkeypatch):
    leave_unpainted(monkeypatch)  # the pictures, which no two machines draw alike
    published = RESULTS / name
    for file in (PLAN_FILE, METRICS, VALIDATION, CELL_ORIGINS):
        (tmp_path / file).write_bytes((published / file).read_bytes())
    write_report(tmp_path)
    for file in ("table.md", "table.json", METRICS, VALIDATION, CELL_ORIGINS):
        assert (tmp_path / file).read_bytes() == (published / file).read_bytes(), file
    drawn = {path.name for path in tmp_path.glob("*.png")}
    pages = {published / "README.md": "", published.parent / "README.md": f"{published.name}/"}
    shown = {
        picture
        for page, folder in pages.items()
        for picture in drawn
        if page.exists() and f"]({folder}{picture})" in page.read_text()
    }
    assert shown == {path.name for path in published.glob("*.png")}
