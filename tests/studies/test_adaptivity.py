import multiprocessing
import os
import signal
import subprocess
import sys
from dataclasses import replace

import msgspec
import pytest

import rlve
from rlve.errors import UserError
from rlve.files import read_record
from rlve.studies import adaptivity as experiment
from rlve.studies.adaptivity import (
    ADAPTIVE,
    Cell,
    Facts,
    Plan,
    TestConfig,
    cell_config,
    cell_folder,
    chosen,
    claim,
    evaluations_of,
    finished,
    read_plan,
    run_cell,
    run_cells,
)
from rlve.train.history import read_steps
from rlve.train.trainer import Run
from rlve.train.validation import plan_validation
from support.run_tiny import tiny_config

TEST = TestConfig(problems=40, levels=4, every=2)

ADAPTED = Cell("Successor", ADAPTIVE, 0)


def make_plan(tiny_policy):
    training = tiny_config(tiny_policy, None, steps=4)
    rollout = replace(training.rollout, problems=4, oversample=8, max_tokens=4)
    run = replace(training.run, folder=None, checkpoint_every=1)
    return Plan(
        training=replace(training, rollout=rollout, run=run),
        environments=("Successor",),
        static=((0, 1), (0, 20)),
        seeds=(0, 1),
        test=TEST,
    )


@pytest.fixture
def plan(tiny_policy):
    return make_plan(tiny_policy)


@pytest.fixture(scope="module")
def done(tiny_policy, tmp_path_factory):
    """A folder with one finished cell, and what was said about it."""
    folder, said = tmp_path_factory.mktemp("experiment"), []
    run_cell(make_plan(tiny_policy), ADAPTED, folder, workers=1, say=said.append)
    return folder, said


def quiet(text):
    pass


def evaluations(folder, cell):
    return evaluations_of(cell_folder(folder, cell))


def trained(folder):
    steps = read_steps(cell_folder(folder, ADAPTED))
    return [msgspec.structs.replace(step, seconds={}) for step in steps]


def without_time(records):
    return [msgspec.structs.replace(record, seconds=0.0) for record in records]


def test_there_is_a_cell_for_each_environment_setting_and_seed(plan):
    assert [cell.name for cell in plan.cells()] == [
        "Successor/adaptive/0",
        "Successor/static-0-1/0",
        "Successor/static-0-20/0",
        "Successor/adaptive/1",
        "Successor/static-0-1/1",
        "Successor/static-0-20/1",
    ]


def test_cells_are_chosen_by_the_beginning_of_their_names(plan):
    cells = plan.cells()
    assert chosen(cells, []) == cells
    assert chosen(cells, ["Successor/static-0-1"]) == [
        Cell("Successor", "static-0-1", 0),
        Cell("Successor", "static-0-1", 1),
    ]
    assert chosen(cells, ["Successor/adaptive/1"]) == [Cell("Successor", ADAPTIVE, 1)]
    with pytest.raises(UserError, match="no cell is named Successor/static-0-2;"):
        chosen(cells, ["Successor/static-0-2"])


def test_a_cell_is_trained_with_its_own_environment_setting_and_seed(plan, tmp_path):
    config = cell_config(plan, Cell("Successor", "static-0-20", 1), tmp_path, 1)
    assert config.data.environments == ("Successor",)
    assert config.data.static == (0, 20)
    assert config.run.seed == 1
    assert config.run.folder == tmp_path
    assert cell_config(plan, Cell("Successor", ADAPTIVE, 0), tmp_path, 1).data.static is None


def test_every_cell_is_measured_on_the_same_problems_in_equal_numbers(plan, tmp_path):
    configs = [cell_config(plan, cell, tmp_path, 1) for cell in plan.cells()]
    assert len({config.validation for config in configs}) == 1
    for config in configs:
        measured = plan_validation(config, config.data.environments)
        assert (measured.names, measured.held_out) == (("Successor",), ())
        assert (measured.problems, measured.every) == (10, 2)
        assert config.validation.levels == (0, 1, 2, 3)
        assert config.validation.temperatures == (0.6,)
        assert config.validation.top_p == 0.95


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


def test_a_cell_is_measured_at_the_start_every_so_often_and_at_the_end(plan, done, tmp_path):
    folder, said = done
    assert finished(plan, folder, ADAPTED)
    assert not finished(plan, tmp_path, ADAPTED)
    measured = evaluations(folder, ADAPTED)
    assert [each.step for each in measured] == [0, 2, 4]
    for each in measured:
        assert len(each.by_level) == 4
        assert each.accuracy == pytest.approx(sum(each.by_level) / 4)
    assert [metrics.step for metrics in trained(folder)] == [1, 2, 3, 4]
    assert [line.split(",")[0] for line in said] == [
        f"Successor/adaptive/0: step {step} of 4" for step in (0, 2, 4)
    ]
    facts = read_record(cell_folder(folder, ADAPTED) / "cell.json", Facts, missing="")
    assert (facts.drawn_from, facts.device) == (None, "cpu")


def test_a_finished_cell_is_not_repeated(plan, done, monkeypatch):
    monkeypatch.setattr(experiment, "cell_config", None)  # whoever trained would need it
    run_cell(plan, ADAPTED, done[0], workers=1, say=quiet)


def test_an_interrupted_cell_ends_as_if_it_had_never_been(plan, done, tmp_path, monkeypatch):
    train_step = Run.train_step

    def interrupted(run, *args):
        metrics = train_step(run, *args)
        if run.step == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return metrics

    monkeypatch.setattr(Run, "train_step", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_cell(plan, ADAPTED, tmp_path, workers=1, say=quiet)
    monkeypatch.setattr(Run, "train_step", train_step)
    assert [each.step for each in evaluations(tmp_path, ADAPTED)] == [0, 2]
    run_cell(plan, ADAPTED, tmp_path, workers=1, say=quiet)
    assert without_time(evaluations(tmp_path, ADAPTED)) == without_time(
        evaluations(done[0], ADAPTED)
    )
    assert trained(tmp_path) == trained(done[0])


def test_measuring_more_often_does_not_change_the_training(plan, done, tmp_path):
    often = replace(plan, test=replace(TEST, every=1, problems=8))
    run_cell(often, ADAPTED, tmp_path, workers=1, say=quiet)
    assert len(evaluations(tmp_path, ADAPTED)) == 5
    assert trained(tmp_path) == trained(done[0])


def test_problems_too_long_to_be_read_count_as_not_solved(plan, tmp_path):
    training = plan.training
    data = replace(training.data, max_prompt_tokens=12)
    run = replace(training.run, steps=1)
    plan = replace(plan, training=replace(training, data=data, run=run))
    plan = replace(plan, environments=("Sorting",), test=replace(TEST, levels=20))
    cell = Cell("Sorting", ADAPTIVE, 0)
    run_cell(plan, cell, tmp_path, workers=1, say=quiet)
    for evaluation in evaluations(tmp_path, cell):
        assert 0 < evaluation.too_long < 40
        assert len(evaluation.by_level) == 20
        assert evaluation.by_level[-1] == 0


def test_a_cell_that_another_process_is_at_is_left_alone(plan, tmp_path):
    place = tmp_path / "cells" / ADAPTED.name
    place.mkdir(parents=True)
    script = (
        "import fcntl, sys; f = open(sys.argv[1], 'wb'); fcntl.flock(f, fcntl.LOCK_EX);"
        "print('locked', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, place / ".lock"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        assert other.stdout.readline() == b"locked\n"
        run_cell(plan, ADAPTED, tmp_path, workers=1, say=quiet)
        assert sorted(path.name for path in place.iterdir()) == [".lock"]
        other.stdin.close()


def test_cells_run_at_once(plan, tmp_path):
    queue = multiprocessing.get_context("fork").SimpleQueue()
    plan = replace(plan, training=replace(plan.training, run=replace(plan.training.run, steps=1)))
    cells = plan.cells()[:2]
    run_cells(plan, cells, tmp_path, jobs=2, workers=1, say=queue.put)
    assert all(finished(plan, tmp_path, cell) for cell in cells)
    said = [queue.get() for _ in range(4)]
    assert queue.empty()
    assert sum("step 1 of 1" in line for line in said) == 2


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
    with pytest.raises(UserError, match="not the folder of an experiment"):
        claim(plan, tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"environments": ()}, "at least one environment"),
        ({"environments": ("Sortin",)}, "did you mean 'Sorting'"),
        ({"static": ((5, 2),)}, r"0 <= low <= high, not \[5, 2\]"),
        ({"seeds": ()}, "seeds is at least 1"),
        ({"test": replace(TEST, problems=41)}, "does not divide"),
        ({"test": replace(TEST, levels=0)}, "test.levels is at least 1"),
        ({"test": replace(TEST, temperature=-1.0)}, "test.temperature"),
        ({"test": replace(TEST, top_p=0.0)}, "test.top-p"),
    ],
)
def test_what_cannot_work_is_said_before_anything_starts(change, message, plan):
    with pytest.raises(UserError, match=message):
        replace(plan, **change).check()
