"""A run that is told to stop, or whose time is over, finishes its step and makes a checkpoint."""

import os
import pty
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from typing import ClassVar

import msgspec
import pytest
import torch

import rlve
from rlve.foundation.files import write_lines
from rlve.foundation.run_folders import latest_checkpoint
from rlve.models.policy import load_policy
from rlve.train.history import read_steps, read_validations
from rlve.train.runs import RunOutcome
from rlve.train.stops import TimeLimit, interrupts
from rlve.train.trainer import Run, train
from support.run_tiny import MEASURED, tiny_config


@pytest.fixture(params=[signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def number(request):
    """A signal that is not ignored, though whoever runs the tests may ignore it, as nohup does."""
    before = signal.signal(request.param, signal.SIG_DFL)
    yield request.param
    signal.signal(request.param, before)


def test_only_a_second_ctrl_c_stops_at_once():
    told = []
    with interrupts(lambda: told.append(1)) as stopped:
        assert not stopped()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
            os.kill(os.getpid(), number)
            assert stopped()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert told == [1]


def test_where_nothing_is_to_be_saved_the_first_signal_stops_at_once(number):
    told, begun = [], False
    with interrupts(lambda: told.append(1), at_once=lambda: not begun):
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)
        assert not told  # nothing goes on
    with interrupts(at_once=lambda: not begun) as stopped:
        begun = True
        os.kill(os.getpid(), number)
        assert stopped()


def test_what_nohup_ignores_stays_ignored(monkeypatch):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interrupts() as stopped:
            os.kill(os.getpid(), signal.SIGHUP)
            assert not stopped()
    finally:
        signal.signal(signal.SIGHUP, before)


def test_another_thread_hears_no_signals():
    found = []

    def work():
        with interrupts() as stopped:
            found.append(stopped())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [False]


TALKER = """
import os
import signal
from rlve.train.stops import interrupts
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whoever runs the tests may ignore it, as nohup does
with interrupts() as stopped:
    print("ready", flush=True)
    while not stopped():
        signal.sigtimedwait([], 0.01)
    for _ in range(1000):  # to a terminal that is gone
        print("still here", flush=True)
    os._exit(0)  # here, lest a second signal come when nobody listens any more
"""


def test_a_run_outlives_its_terminal():
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", TALKER],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    ) as process:
        os.close(theirs)
        said = b""
        while not said.endswith(b"\n"):  # a line half written would be an error of its own
            said += os.read(ours, 100)
        os.close(ours)
        process.send_signal(signal.SIGHUP)
        assert process.wait() == 0


# Time.


def test_a_time_limit_leaves_room_for_one_more_step():
    now = 0.0
    limit = TimeLimit(1.0, clock=lambda: now)
    assert not limit.over("step")
    now = 300  # loading is no step
    with limit("step"):
        now = 1300
    with limit("step"):
        now = 1800
    assert not limit.over("step")
    now = 2599
    assert not limit.over("step")
    now = 2601  # the longest step would end after 3600 s
    assert limit.over("step")
    assert not limit.over("measurement")
    limit.expect("measurement", 900)
    limit.expect("measurement", 800)
    limit.expect("checkpoint", 99)
    assert not limit.over("measurement", "checkpoint")
    limit.expect("checkpoint", 100)
    assert limit.over("measurement", "checkpoint")
    assert not TimeLimit(None, clock=lambda: now).over("step")


class Clocked(Run):
    """A run whose loading, steps and measurements take as many minutes as it says."""

    minutes: ClassVar = {"loading": 0, "step": 0, "measurement": 0}
    now = 0.0

    def __init__(self, config, **settings):
        super().__init__(config, **settings)
        self._time = TimeLimit(config.run.hours, clock=lambda: self.now)

    def _build(self, stack):
        super()._build(stack)
        self.now += 60 * self.minutes["loading"]

    def train_step(self):
        self.now += 60 * self.minutes["step"]
        return super().train_step()

    def _validate(self, *arguments):
        self.now += 60 * self.minutes["measurement"]
        super()._validate(*arguments)


def test_a_measurement_that_would_end_too_late_is_left_to_the_resumed_run(
    tiny_policy, tmp_path, caplog
):
    class Measuring(Clocked):
        minutes: ClassVar = {"loading": 0, "step": 1, "measurement": 25}

    config = tiny_config(tiny_policy, tmp_path / "run", steps=9, validation=MEASURED)
    config = replace(config, run=replace(config.run, hours=1.0))
    with Measuring(config) as run:
        assert run.finish() == RunOutcome(tmp_path / "run", 4, interrupted=True)
    assert [record.step for record in read_validations(tmp_path / "run")] == [0, 2]
    assert "leave no time to measure" in caplog.text
    assert latest_checkpoint(tmp_path / "run").name == "step-000004"
    with Measuring(config, resume=True) as run:
        run.finish()
    assert [record.step for record in read_validations(tmp_path / "run")] == [0, 2, 4, 6]
    # The next session knows how long these take: it makes the one that is due, and no more.
    known = read_validations(tmp_path / "run")
    slow = [msgspec.structs.replace(record, seconds=3000.0) for record in known]
    write_lines(tmp_path / "run" / "validation.jsonl", slow)

    class Late(Clocked):
        minutes: ClassVar = {"loading": 11, "step": 1, "measurement": 25}

    with Late(config, resume=True) as run:
        assert run.finish() == RunOutcome(tmp_path / "run", 9)
    assert [record.step for record in read_validations(tmp_path / "run")] == [0, 2, 4, 6, 8]


def test_a_measurement_is_not_put_off_for_ever(tiny_policy, tmp_path):
    """Loading and measuring take longer than the run's hours; each session measures anyway."""

    class Slow(Clocked):
        minutes: ClassVar = {"loading": 40, "step": 1, "measurement": 25}

        def _validate(self, *arguments):
            super()._validate(*arguments)
            known = read_validations(self.folder)
            slow = [msgspec.structs.replace(record, seconds=1500.0) for record in known]
            write_lines(self.folder / "validation.jsonl", slow)

    config = tiny_config(tiny_policy, tmp_path / "run", steps=4, validation=MEASURED)
    config = replace(config, run=replace(config.run, hours=1.0))
    reached = []
    for resume in (False, True, True, True, True):
        with Slow(config, resume=resume) as run:
            reached.append(run.finish().step)
    assert reached[-1] == 4
    assert [record.step for record in read_validations(tmp_path / "run")] == [0, 2, 4]


def test_a_run_whose_time_is_over_goes_on_later(tiny_policy, tmp_path):
    config = tiny_config(tiny_policy, tmp_path / "run", steps=4)
    short = replace(config, run=replace(config.run, hours=1e-9))
    outcome = train(short)
    assert (outcome.step, outcome.interrupted) == (0, True)
    outcome = train(replace(short, run=replace(short.run, hours=10.0)), resume=True)
    assert (outcome.step, outcome.interrupted) == (4, False)


# A policy that computes no numbers.


@pytest.mark.parametrize("measured", [True, False])
def test_a_policy_whose_outputs_are_no_numbers_stops_the_run(tiny_policy, tmp_path, measured):
    config = tiny_config(tiny_policy, tmp_path / "run")
    if measured:
        config = replace(config, validation=MEASURED)
    broken = load_policy(config.policy, context=0)
    with torch.no_grad():
        next(broken.model.parameters()).fill_(float("nan"))
    broken.model.save_pretrained(tmp_path / "broken")
    broken.tokenizer.save_pretrained(tmp_path / "broken")
    config = replace(config, policy=replace(config.policy, model=str(tmp_path / "broken")))
    with pytest.raises(rlve.UserError, match=r"step 1: the log-probability of a token .*none"):
        train(config)
    assert read_steps(tmp_path / "run") == []
