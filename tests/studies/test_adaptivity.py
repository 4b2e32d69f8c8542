import json
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
from rlve.pool import Pool
from rlve.studies import adaptivity as experiment
from rlve.studies.adaptivity import (
    ADAPTIVE,
    Cell,
    Evaluation,
    Plan,
    TestConfig,
    cell_config,
    chosen,
    claim,
    examination,
    finished,
    read_lines,
    read_plan,
    run_cell,
    run_cells,
)
from rlve.train.trainer import Run
from support.run_tiny import tiny_config
from support.tiny import Successor

TEST = TestConfig(problems=40, levels=4, every=2, slots=64)


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
    rlve.register(Successor)
    folder, said = tmp_path_factory.mktemp("experiment"), []
    run_cell(make_plan(tiny_policy), ADAPTED, folder, workers=1, say=said.append)
    return folder, said


def quiet(text):
    pass


def evaluations(folder, cell):
    return read_lines(folder / "cells" / cell.name / "evaluations.jsonl", Evaluation)


def trained(folder):
    lines = (folder / "cells" / ADAPTED.name / "metrics.jsonl").read_text().splitlines()
    return [{**json.loads(line), "seconds": None} for line in lines]


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
    assert [metrics["step"] for metrics in trained(folder)] == [1, 2, 3, 4]
    assert [line.split(",")[0] for line in said] == [
        f"Successor/adaptive/0: step {step} of 4" for step in (0, 2, 4)
    ]
    assert not plan.due(3)
    assert replace(plan, test=replace(TEST, every=3)).due(4)  # the last step always is


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
    # What was measured after the latest checkpoint is measured again.
    late = msgspec.structs.replace(evaluations(tmp_path, ADAPTED)[0], step=4)
    with (tmp_path / "cells" / ADAPTED.name / "evaluations.jsonl").open("ab") as file:
        file.write(msgspec.json.encode(late) + b"\n" + msgspec.json.encode(late)[:-9])
    monkeypatch.setattr(experiment, "finished", lambda *args: False)
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
    data = replace(plan.training.data, max_prompt_tokens=12)
    plan = replace(plan, training=replace(plan.training, data=data))
    plan = replace(plan, environments=("Sorting",), test=replace(TEST, levels=20))
    cell = Cell("Sorting", ADAPTIVE, 0)
    with Pool(1) as pool:
        problems = examination(plan, cell, pool)
        run = Run(cell_config(plan, cell, tmp_path, 1), tmp_path, pool)
        evaluation = experiment.evaluate(run, problems, plan.test, pool)
    assert 0 < evaluation.too_long < 40
    assert evaluation.by_level[-1] == 0


def test_the_problems_are_even_over_levels_the_same_each_time_and_not_those_of_training(plan):
    cell = Cell("Successor", ADAPTIVE, 0)
    with Pool(1) as pool:
        problems = examination(plan, cell, pool)
        assert problems == examination(plan, cell._replace(setting="static-0-1", seed=1), pool)
    assert [len(listed) for listed in problems] == [10] * 4
    assert [listed[0].N for listed in problems] == [4, 5, 6, 7]
    successor = rlve.environment("Successor")
    assert problems[2][3] == successor.generate(difficulty=2, seed=-4)


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
