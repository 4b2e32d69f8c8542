import re
from dataclasses import replace
from io import StringIO

from rich.console import Console

from rlve.reports.live import (
    STOPPING,
    Lines,
    TrainingProgress,
    clock_time,
    line,
    render,
    view,
)
from rlve.train.config import Config, DataConfig, RolloutConfig, RunConfig
from rlve.train.history import Accuracy, StepMetrics, ValidationRecord

CONFIG = replace(Config(), run=RunConfig(steps=100), rollout=RolloutConfig(problems=16))


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


def metrics(step, *, names=("Sorting", "SAT"), high=0, raised=None, seconds=2.0, **values):
    known = {
        "reward": 0.25,
        "accuracy": 0.5,
        "accuracy_at_high": 0.75,
        "effective_prompt_ratio": 0.6,
        "tokens": 500,
        "prompts": 24,
        "bounds": dict.fromkeys(names, (0, high)),
        "accuracy_at_high_of": dict.fromkeys(names, 0.4),
        "raised": raised or {},
        "seconds": {"rollouts": 1.5, "update": 0.4, "checkpoint": 0.0, "in all": seconds * step},
        "loss": 0.1,
    }
    return StepMetrics(step=step, **(known | values))


def validation(step, *shares, held_out=None):
    """Accuracy at temperatures 1 and 0.6, on one environment that is trained on, and another."""
    measured = [
        Accuracy(
            temperature=temperature,
            by_level={"Sorting": {0: share}} | ({"SAT": {0: held_out}} if held_out else {}),
            ill_formed=0.0,
            truncated=0.0,
            tokens=9,
        )
        for temperature, share in zip((1.0, 0.6), shares, strict=True)
    ]
    return ValidationRecord(
        step=step,
        problems=24,
        held_out=["SAT"] if held_out else [],
        measured=measured,
        seconds=3.4,
    )


def progress_after(count, **values):
    progress = TrainingProgress(CONFIG, clock=Clock())
    for step in range(1, count + 1):
        progress.stepped(metrics(step, **values))
    return progress


def shown(progress, tmp_path, width=100):
    console = Console(file=StringIO(), force_terminal=True, width=width, height=50)
    console.print(render(progress, tmp_path))
    return re.sub(r"\x1b\[[0-9;]*m", "", console.file.getvalue())


def test_times():
    assert [clock_time(s) for s in (0, 61, 3725)] == ["0:00", "1:01", "1:02:05"]


def test_before_the_first_step_there_are_no_numbers(tmp_path):
    progress = TrainingProgress(CONFIG, clock=Clock())
    assert "The first numbers appear after the first step." in shown(progress, tmp_path)
    assert "step   0/100" in line(progress)


def test_a_line_says_it_all():
    text = line(progress_after(10, high=3))
    assert text == (
        "step  10/100  reward 0.250  accuracy 50%  accuracy at h 75%  effective prompts 60%  "
        "tokens/s 250  rollouts 1.50 s  update 0.40 s  other 0.10 s  (means of 10 steps)  "
        "ETA 3:00  h: Sorting 3, SAT 3"
    )


def test_what_was_not_measured_is_left_out_of_the_means():
    progress = progress_after(1)
    nothing = dict.fromkeys(["reward", "accuracy", "accuracy_at_high"])
    progress.stepped(metrics(2, **nothing, effective_prompt_ratio=0.0, prompts=0, tokens=0))
    assert progress.numbers() == {
        "reward": "0.250",
        "accuracy": "50%",
        "accuracy at h": "75%",
        "effective prompts": "60%",
        "tokens/s": "125",
    }


def test_lines_come_every_few_seconds_and_at_the_end():
    clock = Clock()
    written = []
    lines = Lines(TrainingProgress(CONFIG, clock=clock), written.append)
    for step in range(1, 101):
        clock.now += 2
        lines.stepped(metrics(step))
    lines.stopping()
    numbers = [int(text.split("/")[0].split()[1]) for text in written[:-1]]
    assert numbers[:3] == [1, 4, 7]
    assert numbers[-1] == 100
    assert written[-1] == STOPPING


def test_the_live_view_shows_few_environments_one_by_one(tmp_path):
    progress = progress_after(10, high=1)
    progress.collecting(11, 5, 9)
    text = shown(progress, tmp_path)
    for words in ("10/100", "ETA 3:00", "reward", "0.250", "75%", "groups 5/16 kept of 9"):
        assert words in text
    for words in ("h: Sorting 1, SAT 1", "rollouts 1.50 s (75%)"):
        assert words in text
    assert STOPPING.split(".")[0] not in text
    progress.stopping()
    assert STOPPING.split(".")[0] in shown(progress, tmp_path)


def test_the_live_view_sums_many_environments_up(tmp_path):
    names = [f"Environment{i}" for i in range(40)]
    progress = progress_after(3, names=names, high=2)
    for text in (shown(progress, tmp_path), line(progress)):
        assert "h: mean 2.00, 2 to 2 in 40 environments" in text


def test_accuracy_on_test_problems_is_shown_at_first_and_now(tmp_path):
    progress = progress_after(2)
    assert progress.validation() == ""
    assert "test problems" not in shown(progress, tmp_path)
    progress.validating(0, 7, 1200)
    assert "measuring accuracy, 7 of 1,200 outputs" in shown(progress, tmp_path, width=140)
    progress.validated(validation(0, 0.5, 0.625, held_out=0.125))
    assert "measuring" not in shown(progress, tmp_path, width=140)
    progress.validated(validation(50, 0.75, 0.6, held_out=0.25))
    now = "test problems (step 50)  T 1: 50.0% -> 75.0%   T 0.6: 62.5% -> 60.0%"
    assert now in shown(progress, tmp_path)


def test_lines_say_how_far_a_measurement_is_and_what_it_found():
    clock, written = Clock(), []
    lines = Lines(TrainingProgress(CONFIG, clock=clock), written.append)
    for done in range(4):
        clock.now += 2
        lines.validating(0, done, 1200)
    lines.validated(validation(0, 0.5, 0.625))
    assert written == [
        "measuring accuracy, 0 of 1,200 outputs",
        "measuring accuracy, 3 of 1,200 outputs, 39:54 left",
        "test problems (step 0)  T 1: 50.0%   T 0.6: 62.5%  (3 s)",
    ]


def test_a_measurement_shows_from_its_start_how_long_it_may_take():
    clock = Clock()
    progress = TrainingProgress(CONFIG, clock=clock, measuring=600.0)
    progress.validating(0, 0, 1200)
    assert progress.doing.endswith("0 of 1,200 outputs, up to 10:00 left")
    clock.now += 60
    assert progress.doing.endswith("up to 9:00 left")
    progress.validating(0, 600, 1200)
    assert progress.doing.endswith(" outputs, 1:00 left")


def test_signs_that_it_is_not_learning_are_shown_at_once_and_written_once(tmp_path):
    barren = {"effective_prompt_ratio": 0.0, "accuracy": 0.0}
    told = "Worth a look: In the last 3 steps none of the 72 prompts had signal"
    assert told not in shown(progress_after(2, **barren), tmp_path, width=200)
    assert told in shown(progress_after(3, **barren), tmp_path, width=200)
    written = []
    lines = Lines(TrainingProgress(CONFIG, clock=Clock()), written.append)
    for step in range(1, 6):
        lines.stepped(metrics(step, **barren))
    lines.stepped(metrics(6))
    assert sum(text.startswith("Worth a look") for text in written) == 1
    for step in range(7, 10):
        lines.stepped(metrics(step, **barren))
    assert sum(text.startswith("Worth a look") for text in written) == 2


def test_a_terminal_gets_the_live_view_and_a_file_gets_lines(tmp_path):
    terminal = Console(file=StringIO(), force_terminal=True, width=100)
    with view(TrainingProgress(CONFIG, clock=Clock()), tmp_path, terminal) as watcher:
        watcher.stepped(metrics(1))
    assert "step 1/100" in terminal.file.getvalue()
    file = StringIO()
    with view(TrainingProgress(CONFIG, clock=Clock()), tmp_path, Console(file=file)) as watcher:
        watcher.stepped(metrics(1))
    assert file.getvalue().startswith("step   1/100  ")


def test_another_curriculum_than_the_papers_is_shown():
    assert progress_after(1).curriculum() == ""  # Algorithm 1 by itself
    data = replace(CONFIG.data, curriculum="two-way", rehearsal=0.1)
    progress = TrainingProgress(replace(CONFIG, data=data), clock=Clock())
    progress.stepped(metrics(1))
    assert progress.curriculum() == "two-way + 10% rehearsal"


def test_a_resumed_run_counts_the_time_before():
    clock = Clock()
    before = [StepMetrics(step=1, seconds={"in all": 60.0})]
    progress = TrainingProgress(CONFIG, before, [validation(0, 0.5, 0.25)], clock)
    clock.now += 5
    assert progress.done == 1
    assert progress.elapsed == 65
    progress.validated(validation(2, 0.75, 0.25))
    assert "T 1: 50.0% -> 75.0%" in progress.validation()


def test_a_dataset_has_no_levels(tmp_path):
    on_dataset = replace(CONFIG, data=DataConfig(dataset=tmp_path / "questions.jsonl"))
    progress = TrainingProgress(on_dataset, clock=Clock())
    progress.stepped(metrics(1))
    assert "h:" not in line(progress)
    assert "Sorting" not in shown(progress, tmp_path)
