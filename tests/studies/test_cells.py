"""Experiments from end to end, with a policy so small that it takes seconds."""

import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace

import msgspec
import pytest

from rlve.cli import main
from rlve.errors import UserError
from rlve.files import read_record
from rlve.pool import Pool
from rlve.studies import cells, jobs
from rlve.studies.cells import Facts, run_cell, state_of
from rlve.studies.experiments import Cell, Plan, TestConfig
from rlve.studies.folder import cell_folder, claim, fixed_file, is_finished
from rlve.studies.jobs import longest_first, run_cells
from rlve.studies.records import read_results, write_results
from rlve.studies.settings import ADAPTIVE
from rlve.train.history import read_steps, read_validations
from rlve.train.rlvr import load_questions
from rlve.train.trainer import Run
from support.run_tiny import tiny_config

TEST = TestConfig(
    problems=40, levels=4, held_out=3, held_out_problems=12, held_out_levels=2, every=2
)
ADAPTED = Cell("Successor", ADAPTIVE, 0)


def make_plan(tiny_policy, **changes):
    training = tiny_config(tiny_policy, None, steps=4)
    rollout = replace(training.rollout, problems=4, oversample=8, max_tokens=4)
    run = replace(training.run, folder=None, checkpoint_every=1)
    plan = Plan(
        study="adaptivity",
        training=replace(training, rollout=rollout, run=run),
        trained_on=("Successor",),
        settings=(ADAPTIVE, "static-0-1"),
        test=TEST,
    )
    return replace(plan, **changes)


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


def measured(folder, cell=ADAPTED):
    return [
        msgspec.structs.replace(each, seconds=0.0)
        for each in read_validations(cell_folder(folder, cell))
    ]


def trained(folder, cell=ADAPTED):
    steps = read_steps(cell_folder(folder, cell))
    return [msgspec.structs.replace(step, seconds={}) for step in steps]


def one_step(plan):
    return replace(plan, training=replace(plan.training, run=replace(plan.training.run, steps=1)))


# One cell.


def test_a_cell_is_measured_at_the_start_every_so_often_and_at_the_end(plan, done, tmp_path):
    folder, said = done
    assert is_finished(plan, folder, ADAPTED)
    assert not is_finished(plan, tmp_path, ADAPTED)
    records = measured(folder)
    assert [each.step for each in records] == [0, 2, 4]
    for each in records:
        assert [*each.measured[0].by_level["Successor"]] == [0, 1, 2, 3]
        assert len(each.held_out) == 3
        assert each.problems == 40 + 12
    assert [step.step for step in trained(folder)] == [1, 2, 3, 4]
    assert [line.split(",")[0] for line in said] == [
        f"Successor/adaptive/0: step {step} of 4" for step in (0, 2, 4)
    ]
    facts = read_record(cell_folder(folder, ADAPTED) / "cell.json", Facts, missing="")
    assert (facts.drawn_from, facts.device, facts.at_once) == (None, "cpu", 1)


def test_where_a_cell_stands_can_be_seen(plan, done, tmp_path):
    state = state_of(plan, done[0], ADAPTED)
    assert (state.step, state.finished) == (4, True)
    assert state.seconds > 0
    first, *_, last = read_validations(cell_folder(done[0], ADAPTED))
    assert state.trained == (
        first.measured[0].mean(["Successor"]),
        last.measured[0].mean(["Successor"]),
    )
    assert state.held_out == (
        first.measured[0].mean(first.held_out),
        last.measured[0].mean(first.held_out),
    )
    state = state_of(plan, tmp_path, ADAPTED)
    assert (state.step, state.trained, state.held_out, state.finished) == (0, None, None, False)


def test_a_finished_cell_is_not_repeated(plan, done, monkeypatch):
    monkeypatch.setattr(cells, "cell_config", None)  # whoever trained would need it
    run_cell(plan, ADAPTED, done[0], workers=1, say=quiet)
    run_cells(plan, [ADAPTED], done[0], say=quiet)


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
    assert [each.step for each in measured(tmp_path)] == [0, 2]
    run_cell(plan, ADAPTED, tmp_path, workers=1, say=quiet)
    assert measured(tmp_path) == measured(done[0])
    assert trained(tmp_path) == trained(done[0])


def test_measuring_more_often_does_not_change_the_training(plan, done, tmp_path):
    often = replace(plan, test=replace(TEST, every=1, problems=8, held_out=0))
    run_cell(often, ADAPTED, tmp_path, workers=1, say=quiet)
    assert len(measured(tmp_path)) == 5
    assert trained(tmp_path) == trained(done[0])


def test_problems_too_long_to_be_read_count_as_not_solved(plan, tmp_path):
    training = plan.training
    plan = replace(
        one_step(plan),
        trained_on=("Sorting",),
        test=replace(TEST, levels=20, held_out=0),
    )
    data = replace(training.data, max_prompt_tokens=12)
    plan = replace(plan, training=replace(plan.training, data=data))
    cell = Cell("Sorting", ADAPTIVE, 0)
    run_cell(plan, cell, tmp_path, workers=1, say=quiet)
    for each in measured(tmp_path, cell):
        assert 0 < each.too_long < 40
        assert len(each.measured[0].by_level["Sorting"]) == 20
        assert each.measured[0].by_level["Sorting"][19] == 0


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


# Several cells.


def test_cells_run_at_once_and_are_watched(plan, tmp_path):
    queue = multiprocessing.get_context("fork").SimpleQueue()
    plan, seen = one_step(plan), []
    cells = plan.cells()[:2]
    run_cells(
        plan, cells, tmp_path, jobs=2, workers=1, say=queue.put, watch=seen.append, every=0.05
    )
    assert all(is_finished(plan, tmp_path, cell) for cell in cells)
    said = [queue.get() for _ in range(4)]
    assert queue.empty()
    assert sum("step 1 of 1" in line for line in said) == 2
    assert [state.cell for state in seen[-1]] == cells
    assert all(state.finished and state.step == 1 for state in seen[-1])
    assert [sum(state.step for state in states) for states in seen] == sorted(
        sum(state.step for state in states) for states in seen
    )


def test_the_last_states_shown_are_final(plan, tmp_path, monkeypatch):
    """Also if a process ends after the others have been looked at for the last time."""
    go, done, seen = tmp_path / "go", tmp_path / "done", []

    def work(*arguments, **settings):
        until(go.exists)
        done.touch()

    def watch(states):
        seen.append(states)
        go.touch()
        for process in multiprocessing.active_children():
            process.join()

    monkeypatch.setattr(jobs, "run_cell", work)
    monkeypatch.setattr(jobs, "state_of", lambda *arguments: done.exists())
    run_cells(plan, [ADAPTED], tmp_path, say=quiet, watch=watch, every=0.01)
    assert seen == [[False], [True]]


def test_ctrl_c_while_processes_are_started_reaches_all_of_them(plan, tmp_path, monkeypatch):
    queue = multiprocessing.get_context("fork").SimpleQueue()
    kind = type(multiprocessing.get_context("fork").Process())
    start, told = kind.start, []

    def start_and_press(process):
        start(process)
        if not told:
            os.kill(os.getpid(), signal.SIGINT)
            told.append("pressed")

    def work(plan, cell, *arguments, say, **settings):
        try:
            time.sleep(120)
            say("never heard of it")
        except KeyboardInterrupt:
            say("heard")
            raise

    monkeypatch.setattr(kind, "start", start_and_press)
    monkeypatch.setattr(jobs, "run_cell", work)
    cells = replace(plan, settings=(ADAPTIVE, "static-0-1", "static-0-2")).cells()[:3]
    with pytest.raises(KeyboardInterrupt):
        run_cells(
            *(plan, cells, tmp_path),
            jobs=3,
            say=queue.put,
            on_interrupt=lambda: told.append("stopping"),
        )
    assert sorted(told) == ["pressed", "stopping"]
    heard = []
    while not queue.empty():
        heard.append(queue.get())
    assert set(heard) <= {"heard"}  # one that had not begun its cell says nothing


def test_long_runs_begin_first_seed_by_seed(plan):
    settings = ("adaptive", "static-0-1", "static-0-100", "fixed-0-4")
    cells = replace(plan, trained_on=("Sorting", "SAT"), settings=settings, seeds=(3, 4)).cells()
    order = [cell.name for cell in longest_first(cells)]
    one_seed = [
        f"{name}/{setting}"
        for setting in ("static-0-100", "fixed-0-4", "static-0-1", "adaptive")
        for name in ("Sorting", "SAT")
    ]
    assert order == [f"{name}/{seed}" for seed in (3, 4) for name in one_seed]


def test_interrupted_all_cells_save_where_they_stand(tiny_policy, done, tmp_path):
    plan = make_plan(tiny_policy)
    told = []

    def press(states):
        if not told and any(state.step for state in states):
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        run_cells(
            plan,
            [ADAPTED],
            tmp_path,
            workers=1,
            say=quiet,
            watch=press,
            every=0.01,
            on_interrupt=lambda: told.append("stopping"),
        )
    assert told == ["stopping"]
    run_cells(plan, [ADAPTED], tmp_path, workers=1, say=quiet)
    assert measured(tmp_path) == measured(done[0])
    assert trained(tmp_path) == trained(done[0])


def test_cells_do_not_outlive_the_command(plan, tmp_path):
    """Killed outright, it leaves no runs behind that nobody watches."""
    long = replace(plan.training, run=replace(plan.training.run, steps=100_000))
    plan = replace(plan, training=long)
    place = cell_folder(tmp_path, ADAPTED)
    forking = multiprocessing.get_context("fork")
    arguments = {"jobs": 1, "workers": 1, "say": quiet}
    command = forking.Process(target=run_cells, args=(plan, [ADAPTED], tmp_path), kwargs=arguments)
    command.start()
    until(lambda: state_of(plan, tmp_path, ADAPTED).step > 0)
    command.kill()
    command.join()
    until(lambda: free(place))
    assert (place / "checkpoints").exists()


def until(condition):
    """Wait for it."""
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def free(place):
    from rlve.run_folders import alone_in

    with alone_in(place) as alone:
        return alone


def test_a_cell_that_cannot_run_does_not_stop_the_others(plan, tmp_path):
    queue = multiprocessing.get_context("fork").SimpleQueue()
    plan = one_step(plan)
    cells = longest_first(plan.cells()[:2])
    broken = cell_folder(tmp_path, cells[0])
    broken.mkdir(parents=True)
    (broken / "config.json").write_text("{")
    with pytest.raises(UserError, match="the same command resumes them"):
        run_cells(plan, cells, tmp_path, workers=1, say=queue.put)
    assert queue.get().startswith(f"rlve: {cells[0].name}: {broken / 'config.json'} is damaged")
    assert is_finished(plan, tmp_path, cells[1])


def test_what_was_collected_elsewhere_is_not_run_again(plan, done, tmp_path):
    """A machine that forgets everything needs four small files to go on with the other cells."""
    there, here = tmp_path / "there", tmp_path / "here"
    cells = plan.cells()[:2]
    for folder in (there, here):
        claim(plan, folder)
    shutil.copytree(cell_folder(done[0], ADAPTED), cell_folder(there, ADAPTED))
    first = read_results(there)
    write_results(first, here)
    assert is_finished(plan, here, ADAPTED)
    run_cells(plan, cells, here, workers=1, say=quiet)
    assert not cell_folder(here, ADAPTED).exists()
    results = read_results(here)
    assert [*results.measured] == cells
    assert results.measured[ADAPTED] == first.measured[ADAPTED]
    assert results.steps[ADAPTED] == first.steps[ADAPTED]
    write_results(results, here)
    shutil.rmtree(here / "cells")
    assert read_results(here) == results


# A whole experiment of each kind.


@pytest.mark.parametrize(
    ("study", "trained_on", "settings", "told"),
    [
        (
            "environment-scaling",
            ("Successor", "C1"),
            (ADAPTIVE,),
            "Held-out environments, after 2",
        ),
        ("adaptivity", ("Successor",), (ADAPTIVE, "static-0-1"), "Successor, after 2 steps: "),
        ("rlve-vs-rlvr", ("Successor",), (ADAPTIVE, "fixed-0-4"), "Successor, after 2 steps: "),
    ],
)
def test_an_experiment_from_end_to_end(
    study, trained_on, settings, told, tiny_policy, tmp_path, capsys
):
    plan = make_plan(
        tiny_policy,
        study=study,
        trained_on=trained_on,
        settings=settings,
        seeds=(0,),
        fixed_problems=5,
    )
    plan = replace(plan, training=replace(plan.training, run=replace(plan.training.run, steps=2)))
    plan.check()
    folder = tmp_path / "experiment"
    claim(plan, folder)
    run_cells(plan, plan.cells(), folder, jobs=2, workers=1, say=quiet)
    results = read_results(folder)
    assert [*results.measured] == plan.cells()
    assert main(["report", str(folder)]) == 0
    assert told in capsys.readouterr().out.replace("\n", " ")
    if study == "rlve-vs-rlvr":
        with Pool(1) as pool:
            problems = load_questions(fixed_file(folder, plan.cells()[1]), pool)
        assert len(problems) == 5
        assert {question.name for question in problems} == {"Successor"}
