import os
import shutil
from dataclasses import replace

import pytest

import rlve
from rlve.collections import C256, HELD_OUT
from rlve.errors import UserError
from rlve.files import replacing, write_whole
from rlve.studies.cells import cell_config
from rlve.studies.experiments import Cell, Plan, TestConfig, choose_cells, environments_of
from rlve.studies.folder import claim, read_plan
from rlve.studies.index import STUDIES, find_study
from rlve.studies.settings import ADAPTIVE, kind_of, label, range_of
from rlve.train.presets import preset
from rlve.train.validation import plan_validation
from support.run_tiny import tiny_config

TEST = TestConfig(
    problems=40, levels=4, held_out=3, held_out_problems=12, held_out_levels=2, every=2
)


@pytest.fixture
def plan(tiny_policy):
    training = tiny_config(tiny_policy, None, steps=4)
    return Plan(
        study="adaptivity",
        training=training,
        trained_on=("Successor",),
        settings=(ADAPTIVE, "static-0-1", "static-0-20", "fixed-0-4"),
        fixed_problems=10,
        test=TEST,
    )


# Cells.


def test_there_is_a_cell_for_each_thing_trained_on_each_setting_and_each_seed(plan):
    plan = replace(plan, trained_on=("Successor", "C4"), settings=(ADAPTIVE, "static-0-1"))
    assert [cell.name for cell in plan.cells()] == [
        "Successor/adaptive/0",
        "Successor/static-0-1/0",
        "C4/adaptive/0",
        "C4/static-0-1/0",
        "Successor/adaptive/1",
        "Successor/static-0-1/1",
        "C4/adaptive/1",
        "C4/static-0-1/1",
    ]


def test_cells_are_chosen_by_the_beginning_of_their_names(plan):
    cells = plan.cells()
    assert choose_cells(cells, []) == cells
    assert choose_cells(cells, ["Successor/static-0-1"]) == [
        Cell("Successor", "static-0-1", 0),
        Cell("Successor", "static-0-1", 1),
    ]
    assert choose_cells(cells, ["Successor/adaptive/1"]) == [Cell("Successor", ADAPTIVE, 1)]
    with pytest.raises(UserError, match="no cell is named Successor/static-0-2;"):
        choose_cells(cells, ["Successor/static-0-2"])


@pytest.mark.parametrize(
    ("setting", "kind", "ends", "name"),
    [
        ("static-0-20", "static", (0, 20), "static [0, 20]"),
        ("fixed-2-4", "fixed", (2, 4), "fixed [2, 4]"),
    ],
)
def test_a_setting_says_how_problems_are_chosen(setting, kind, ends, name):
    assert (kind_of(setting), range_of(setting), label(setting)) == (kind, ends, name)
    assert kind_of(ADAPTIVE) == label(ADAPTIVE) == "adaptive"


def test_a_curriculum_is_a_setting_and_so_is_its_rehearsal(plan, tmp_path):
    assert kind_of("bandit") == kind_of("two-way+rehearsal-30") == "adaptive"
    assert label("two-way+rehearsal-30") == "two-way + 30% rehearsal"
    cell = Cell("Successor", "two-way+rehearsal-30", 0)
    data = cell_config(plan, cell, tmp_path, 1).data
    assert (data.curriculum, data.rehearsal, data.static) == ("two-way", 0.3, None)
    for wrong in ("two-way+rehearsal-0", "two-way+rest", "three-way", "static-0-1+form"):
        with pytest.raises(UserError, match="not '"):
            kind_of(wrong)


def test_the_control_is_rewarded_for_form_alone(plan, tmp_path):
    assert kind_of("adaptive+form") == kind_of("two-way+rehearsal-30+form") == "adaptive"
    assert label("adaptive+form") == "adaptive, form alone"
    alone, usual = (
        cell_config(plan, Cell("Successor", setting, 0), tmp_path, 1)
        for setting in ("adaptive+form", "adaptive")
    )
    assert (alone.rollout.signal, usual.rollout.signal) == ("form", plan.training.rollout.signal)
    assert alone.data == usual.data


def test_several_environments_can_be_trained_on_together(plan, tmp_path):
    cell = Cell("Sorting+C4", ADAPTIVE, 0)
    assert cell_config(plan, cell, tmp_path, 1).data.environments == ("Sorting", "C4")
    assert environments_of("Sorting+Division") == ["Sorting", "Division"]


def test_a_cell_is_trained_with_its_own_settings(plan, tmp_path):
    def data_of(setting, seed=0):
        config = cell_config(plan, Cell("Successor", setting, seed), tmp_path, 1)
        assert config.data.environments == ("Successor",)
        assert config.run.folder == tmp_path / "cells" / "Successor" / setting / str(seed)
        assert config.run.seed == seed
        return config.data

    assert (data_of(ADAPTIVE).static, data_of(ADAPTIVE).dataset) == (None, None)
    assert (data_of("static-0-20").static, data_of("static-0-20", 1).dataset) == ((0, 20), None)
    assert data_of("fixed-0-4").static is None
    assert data_of("fixed-0-4", 0).dataset == data_of("fixed-0-4", 1).dataset


def test_every_cell_is_measured_on_the_same_problems_in_equal_numbers(plan, tmp_path):
    configs = [cell_config(plan, cell, tmp_path, 1) for cell in plan.cells()]
    assert len({config.validation for config in configs}) == 1
    for config in configs:
        measured = plan_validation(config, config.data.environments)
        assert measured.names == ("Successor",)
        assert {*measured.held_out} < {*HELD_OUT}
        assert (measured.problems, measured.held_out_problems, measured.every) == (10, 2, 2)
        assert config.validation.levels == (0, 1, 2, 3)
        assert config.validation.temperatures == (0.6,)
        assert config.validation.top_p == 0.95


def test_a_collection_has_as_many_problems_as_an_environment(plan, tmp_path):
    plan = replace(plan, trained_on=("C4",), test=replace(TEST, problems=64))
    config = cell_config(plan, Cell("C4", ADAPTIVE, 0), tmp_path, 1)
    assert config.validation.problems * 4 * 4 == 64


def test_levels_far_beyond_the_prompt_limit_are_left_out(plan, tmp_path):
    # All that the tiny policy reads are numbers.
    short = replace(plan.training.data, max_prompt_tokens=4)
    plan = replace(plan, training=replace(plan.training, data=short))
    config = cell_config(plan, Cell("Sorting", "static-0-100", 0), tmp_path, 1)
    low, high = config.data.static
    assert low == 0
    assert rlve.environment("Sorting").level(high)[0]["N"] < 4 * 4  # a token for each digit, or two
    assert high > 0
    with pytest.raises(UserError, match=r"far beyond data\.max-prompt-tokens"):
        cell_config(plan, Cell("Sorting", "static-90-100", 0), tmp_path, 1)


def test_of_a_collection_each_environment_is_drawn_as_far_as_it_goes(plan, tmp_path):
    config = cell_config(plan, Cell("C16", "static-0-100", 0), tmp_path, 1)
    assert config.data.static == (0, 100)


# Plans.


def test_a_plan_is_kept_and_compared(plan, tmp_path):
    folder = tmp_path / "experiment"
    claim(plan, folder)
    training = plan.training
    elsewhere = replace(training, run=replace(training.run, folder=tmp_path, workers=3))
    claim(replace(plan, training=elsewhere), folder)
    again = read_plan(folder)
    assert again.cells() == plan.cells()
    assert again.test == plan.test
    assert again.training.update == training.update
    with pytest.raises(UserError, match=r"other settings: seeds, test\.problems"):
        claim(replace(plan, seeds=(5,), test=replace(TEST, problems=80)), folder)
    (tmp_path / "notes.txt").write_text("precious")
    with pytest.raises(UserError, match="is not an experiment"):
        claim(plan, tmp_path)


def test_of_two_commands_the_first_decides(plan, tmp_path, monkeypatch):
    """Both find no plan; then another command is a little faster."""
    folder = tmp_path / "experiment"

    def after(other):
        def write(path, content):
            monkeypatch.setattr("rlve.studies.folder.write_whole", write_whole)
            claim(other, folder)
            (folder / "cells").mkdir()
            write_whole(path, content)

        return write

    monkeypatch.setattr("rlve.studies.folder.write_whole", after(plan))
    claim(plan, folder)
    assert sorted(path.name for path in folder.iterdir()) == ["cells", "plan.json"]
    shutil.rmtree(folder)
    monkeypatch.setattr("rlve.studies.folder.write_whole", after(replace(plan, seeds=(5,))))
    with pytest.raises(UserError, match="other settings: seeds"):
        claim(plan, folder)
    assert read_plan(folder).seeds == (5,)


def test_a_file_system_may_have_no_hard_links(plan, tmp_path, monkeypatch):
    def link(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    claim(plan, tmp_path / "experiment")
    claim(plan, tmp_path / "experiment")
    assert read_plan(tmp_path / "experiment").seeds == plan.seeds
    assert [path.name for path in (tmp_path / "experiment").iterdir()] == ["plan.json"]


def test_a_plan_that_another_command_is_writing_occupies_nothing(plan, tmp_path, monkeypatch):
    def other(path, content):
        monkeypatch.setattr("rlve.studies.folder.write_whole", write_whole)
        with replacing(path) as file:
            file.write(content)
            claim(plan, tmp_path)

    monkeypatch.setattr("rlve.studies.folder.write_whole", other)
    claim(plan, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["plan.json"]


@pytest.mark.parametrize("damage", ["{", "[]"])
def test_a_damaged_plan_is_said(plan, damage, tmp_path):
    (tmp_path / "plan.json").write_text(damage)
    with pytest.raises(UserError, match=r"plan\.json is damaged"):
        claim(plan, tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"trained_on": ()}, "at least one environment"),
        ({"trained_on": ("Sortin",)}, "did you mean 'Sorting'"),
        ({"trained_on": ("ALL",), "test": TestConfig()}, "ALL contains environments of HELD_OUT"),
        ({"settings": ("static-5-2",)}, "from low to high, unlike static-5-2"),
        ({"settings": ("easy",)}, "not 'easy'"),
        (
            {"trained_on": ("SpiralMatrix",), "settings": ("static-50-60",)},
            "static-50-60 begins above the highest difficulty of SpiralMatrix, which is 20",
        ),
        (
            {"trained_on": ("Sorting+SpiralMatrix",), "settings": ("static-21-60",)},
            "static-21-60 begins above the highest difficulty of SpiralMatrix, which is 20",
        ),
        (
            {"trained_on": ("SpiralMatrix",), "settings": ("fixed-21-60",)},
            "fixed-21-60 begins above the highest difficulty of SpiralMatrix, which is 20",
        ),
        ({"fixed_problems": 0}, "fixed-0-4 needs --fixed-problems"),
        ({"seeds": ()}, "seeds must be at least 1"),
        ({"test": replace(TEST, problems=3)}, "less than one per environment and level"),
        ({"test": replace(TEST, held_out_problems=5)}, r"test\.held-out-problems \(5\)"),
        ({"test": replace(TEST, held_out=51)}, "test.held-out must be from 0 to 50"),
        ({"test": replace(TEST, levels=0)}, "test.levels must be at least 1"),
        ({"test": replace(TEST, temperature=-1.0)}, "test.temperature"),
        ({"test": replace(TEST, top_p=0.0)}, "test.top-p"),
    ],
)
def test_what_cannot_work_is_said_before_anything_starts(change, message, plan):
    with pytest.raises(UserError, match=message):
        replace(plan, **change).check()


def test_a_range_may_end_above_an_environment_and_a_fixed_set_leave_it_out(plan):
    short = {"trained_on": ("SpiralMatrix",), "settings": ("static-20-60", "fixed-20-60")}
    replace(plan, **short).check()
    left_out = {"trained_on": ("Sorting+SpiralMatrix",), "settings": ("fixed-21-60",)}
    replace(plan, **left_out).check()


# The experiments of the paper.


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES.keys())
def test_every_study_makes_a_plan(study):
    plan = Plan(
        study=study.name,
        training=preset("smollm2-135m"),
        trained_on=study.trained_on,
        settings=study.settings,
        seeds=tuple(range(study.seeds)),
        fixed_problems=study.fixed_problems,
        test=study.test,
    )
    plan.check()
    assert len(plan.seeds) >= 2
    assert plan.steps >= 300


def test_what_is_held_out_is_never_trained_on():
    assert not {*HELD_OUT} & {*C256}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            None,
            "name the experiment to run; the experiments are generalisation, environment-scaling, "
            "adaptivity, rlve-vs-rlvr and curricula",
        ),
        ("adaptivty", "no experiment is named 'adaptivty'; did you mean 'adaptivity'?"),
        ("xyz", "no experiment is named 'xyz'; the experiments are generalisation,"),
    ],
)
def test_an_unknown_study_is_said(name, message):
    with pytest.raises(UserError) as caught:
        find_study(name)
    assert message in str(caught.value)
