import os
import signal
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
import torch
from safetensors.torch import load_file
from tokenizers import AddedToken
from transformers import AutoModelForCausalLM, AutoTokenizer

import rlve
from rlve.foundation.run_folders import checkpoints, latest_checkpoint
from rlve.models import pass_sizes
from rlve.models.config import PolicyConfig
from rlve.reports.teaching import headline
from rlve.server.studio.saved import write_report
from rlve.train.config import RunConfig
from rlve.train.history import read_validations
from rlve.train.runs import RunOutcome
from rlve.train.teaching import TeachingRun, teach
from rlve.train.teaching import run as teaching_run
from rlve.train.teaching.config import (
    LessonConfig,
    TeachingConfig,
    TeachingUpdateConfig,
    TeachingValidationConfig,
    read_teaching_config,
    teaching_config,
)
from rlve.train.teaching.examples import answer_loss
from rlve.train.teaching.history import read_teaching_history, read_teaching_steps
from rlve.train.trainer import train
from rlve.train.watchers import Watcher
from support.run_tiny import tiny_config

MEASURED = TeachingValidationConfig(levels=(0, 3), problems=20, every=4)
UNMEASURED = TeachingValidationConfig(every=0)


@pytest.fixture(scope="module")
def pupil(tiny_policy, tmp_path_factory):
    """The tiny policy with a tokenizer that reads its answers, too."""
    folder = tmp_path_factory.mktemp("pupil")
    tokenizer = AutoTokenizer.from_pretrained(tiny_policy)
    answers = [f"<answer>{digit}</answer>" for digit in range(10)]
    tokenizer.add_tokens([AddedToken(text, normalized=False) for text in answers])
    tokenizer.save_pretrained(folder)
    AutoModelForCausalLM.from_pretrained(tiny_policy).save_pretrained(folder)
    return folder


def lesson(pupil: Path, folder: Path, *, steps=8, validation=UNMEASURED, **run) -> TeachingConfig:
    return TeachingConfig(
        policy=PolicyConfig(model=str(pupil), format="plain", device="cpu"),
        data=LessonConfig(
            environments=("Successor",), examples=16, max_prompt_tokens=64, max_answer_tokens=4
        ),
        update=TeachingUpdateConfig(learning_rate=1e-2, warmup_steps=2, micro_batch_tokens=64),
        validation=validation,
        run=RunConfig(
            **{
                "folder": folder,
                "steps": steps,
                "checkpoint_every": 3,
                "samples_every": 4,
                "workers": 1,
            }
            | run
        ),
    )


def without_time(records):
    return [
        msgspec.structs.replace(record, seconds={} if hasattr(record, "loss") else 0.0)
        for record in records
    ]


def weights(folder):
    return load_file(latest_checkpoint(folder) / "model" / "model.safetensors")


class Interrupting(Watcher):
    def __init__(self, after):
        self.after = after

    def collecting(self, step, kept, finished):
        raise AssertionError("nothing is collected")

    def validating(self, step, done, total):
        assert 0 <= done <= total

    def stepped(self, metrics):
        if metrics.step == self.after:
            os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture(scope="module")
def taught(pupil, tmp_path_factory):
    """The folder of a run that was never interrupted."""
    folder = tmp_path_factory.mktemp("runs") / "whole"
    config = lesson(pupil, folder, steps=60, validation=MEASURED, checkpoint_every=20)
    assert teach(config) == RunOutcome(folder, 60)
    return folder


def test_it_learns_what_it_is_taught(taught):
    steps, records = read_teaching_steps(taught), read_validations(taught)
    assert [step.step for step in steps] == list(range(1, 61))
    assert steps[0].loss > 2
    assert steps[-1].loss < 0.1
    assert [record.step for record in records] == list(range(0, 61, 4))
    assert records[0].seen is msgspec.UNSET
    assert [each.seen_problems for each in records[:2]] == [0, 40]  # there are so few
    for was, now in zip(records[0].measured, records[-1].measured, strict=True):
        assert was.mean() < 0.3
        assert now.mean() > 0.9
        assert now.ill_formed < 0.1
        assert now.truncated < 0.1  # it has learnt to stop
        assert was.truncated > 0.3


def test_what_it_makes_can_be_trained_on(taught, tmp_path):
    model = latest_checkpoint(taught) / "model"
    config = tiny_config(model, tmp_path / "run", steps=1)
    with_signal = train(config)
    assert with_signal.step == 1


def test_what_it_writes_down(taught):
    history = read_teaching_history(taught)
    assert {sample.step for sample in history.samples} == {1, *range(4, 61, 4)}
    for sample in history.samples:
        digit = (int(sample.prompt.split()[0]) + 1) % 10
        assert sample.answer == f"<answer>{digit}</answer> <end>"
    step = history.steps[-1]
    assert (step.examples, step.answer_tokens, step.left_out) == (16, 32, {})
    assert step.prompt_tokens >= 16
    assert 0 <= step.padding < 1
    assert step.seconds.keys() == {"examples", "update", "validation", "checkpoint", "in all"}


def test_the_report_tells_what_was_learnt(taught):
    history = read_teaching_history(taught)
    text = headline(history)
    assert text.startswith("In 60 steps and ")
    assert "was taught 960 references. Well-formed outputs went from " in text
    assert "On 40 test problems accuracy went from" in text
    assert "40 of them also came up in training." in text
    page = write_report(taught).read_text()
    for part in ("Test accuracy before and after", "What was taught"):
        assert f"<h2>{part}</h2>" in page


@pytest.mark.parametrize("after", [3, 4, 5])  # with a checkpoint, a measurement, neither
def test_a_resumed_run_is_the_same_as_one_that_never_stopped(pupil, tmp_path, after):
    whole, parted = tmp_path / "whole", tmp_path / "parted"
    teach(lesson(pupil, whole, validation=MEASURED))
    config = lesson(pupil, parted, validation=MEASURED)
    outcome = teach(config, [Interrupting(after)])
    assert outcome == RunOutcome(parted, after, interrupted=True)
    assert teach(config, resume=True) == RunOutcome(parted, 8)
    assert_same(parted, whole)


def assert_same(folder, other):
    assert without_time(read_teaching_steps(folder)) == without_time(read_teaching_steps(other))
    assert without_time(read_validations(folder)) == without_time(read_validations(other))
    samples = read_teaching_history(folder).samples
    assert samples == read_teaching_history(other).samples
    mine, theirs = weights(folder), weights(other)
    assert mine.keys() == theirs.keys()
    assert all(torch.equal(mine[name], theirs[name]) for name in mine)
    assert [p.name for p in checkpoints(folder)] == ["step-000006", "step-000008"]


def test_the_rate_warms_up_and_falls(pupil, tmp_path):
    config = lesson(pupil, tmp_path / "run", steps=6)
    teach(config)
    rates = [step.learning_rate for step in read_teaching_steps(tmp_path / "run")]
    assert rates[:3] == [5e-3, 1e-2, 1e-2]
    assert rates[2:] == sorted(rates[2:], reverse=True)
    assert 0 < rates[-1] < 2e-3
    longer = replace(config, update=replace(config.update, schedule_steps=100))
    longer = replace(longer, run=replace(longer.run, folder=tmp_path / "longer"))
    teach(longer)
    assert read_teaching_steps(tmp_path / "longer")[-1].learning_rate > 9.9e-3


def test_the_batch_may_be_cut_in_any_way(pupil, tmp_path):
    found = []
    for budget in (16, 10_000):
        config = lesson(pupil, tmp_path / str(budget), steps=2)
        config = replace(config, update=replace(config.update, micro_batch_tokens=budget))
        teach(config)
        found.append(read_teaching_steps(tmp_path / str(budget)))
    for few, many in zip(*found, strict=True):
        assert few.loss == pytest.approx(many.loss, rel=1e-4)
        assert few.grad_norm == pytest.approx(many.grad_norm, rel=1e-3)


# What cannot work is said.


def test_a_folder_belongs_to_one_run(pupil, taught, tmp_path):
    config = lesson(pupil, taught, steps=60, validation=MEASURED)
    other = replace(config, data=replace(config.data, levels=(0,)))
    with pytest.raises(rlve.UserError, match=r"with other settings: data\.levels"):
        teach(other, resume=True)
    with pytest.raises(rlve.UserError, match=r"is a run of `rlve teach`, not of `rlve train`"):
        train(tiny_config(pupil, taught), resume=True)
    train(tiny_config(pupil, tmp_path / "rl", steps=1))
    with pytest.raises(rlve.UserError, match=r"is a run of `rlve train`, not of `rlve teach`"):
        read_teaching_config(tmp_path / "rl")


def test_running_out_of_memory_says_how_to_go_on(pupil, tmp_path, monkeypatch, caplog):
    config = lesson(pupil, tmp_path / "run", steps=2)
    with monkeypatch.context() as patched, TeachingRun(config) as run:

        def exhausted(batch):
            raise torch.OutOfMemoryError("CUDA out of memory")

        patched.setattr(run, "_gradient", exhausted)
        message = r"--resume .*/run, which begins again, .* a lower data\.max-prompt-tokens"
        with pytest.raises(rlve.UserError, match=message):
            run.finish()
    frugal = changed(config, "update", micro_batch_tokens=32)
    assert teach(changed(frugal, "data", deadline=60.0), resume=True).step == 2
    assert "update.micro_batch_tokens; the run stays the same up to rounding" in caplog.text
    assert "data.deadline; the run stays the same up to what misses the deadline" in caplog.text


def test_passes_that_ran_out_of_memory_are_begun_again(pupil, tmp_path, monkeypatch):
    config = changed(lesson(pupil, tmp_path / "run", steps=2), "update", micro_batch_tokens=32)
    right, calls = answer_loss, []

    def exhausted(score, examples):
        calls.append(examples)
        if len(calls) == 2:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return right(score, examples)

    with monkeypatch.context() as patched, TeachingRun(config) as run:
        patched.setattr(teaching_run, "answer_loss", exhausted)
        patched.setattr(pass_sizes, "LEAST", 8)
        run.passes.chosen, run.passes.tokens = True, 64  # as on a GPU
        run.finish()
    teach(changed(config, "run", folder=tmp_path / "whole"))
    found, expected = weights(tmp_path / "run"), weights(tmp_path / "whole")
    assert all(torch.equal(found[name], expected[name]) for name in expected)


def test_a_step_that_ran_out_of_memory_ends_the_run(pupil, tmp_path, monkeypatch):
    monkeypatch.setattr(pass_sizes, "LEAST", 8)
    steps = []

    def exhausted(*args):  # when all weights have changed
        steps.append(args)
        raise torch.OutOfMemoryError("CUDA out of memory")

    with TeachingRun(lesson(pupil, tmp_path / "run", steps=2)) as run:
        run.passes.chosen = True
        run.optimizer.register_step_post_hook(exhausted)
        with pytest.raises(rlve.UserError, match=r"out of memory in the update; lower .* --resume"):
            run.finish()
    assert len(steps) == 1


def changed(config, section, **values):
    return replace(config, **{section: replace(getattr(config, section), **values)})


@pytest.mark.parametrize(
    ("section", "values", "message"),
    [
        ("data", {"examples": 0}, r"data\.examples must be at least 1"),
        ("data", {"levels": ()}, r"data\.levels must be one or more numbers"),
        ("data", {"without": ("Successor",)}, r"data\.without leaves out everything"),
        ("data", {"without": ("Nonsense",)}, "Nonsense"),
        ("data", {"deadline": float("nan")}, r"data\.deadline must be above 0"),
        (
            "update",
            {"schedule_steps": 20, "warmup_steps": 20},
            r"update\.schedule-steps \(20\) must be above update\.warmup-steps \(20\)",
        ),
        ("validation", {"memory": 1.0}, r"validation\.memory"),
    ],
)
def test_settings_that_cannot_work_are_named(pupil, tmp_path, section, values, message):
    config = changed(lesson(pupil, tmp_path / "run"), section, **values)
    with pytest.raises(rlve.UserError, match=message):
        teach(config)
    assert not (tmp_path / "run").exists()


def test_some_environments_of_a_collection():
    names = LessonConfig(environments=("ALL",), without=("C256", "HELD_OUT")).names()
    assert len(names) == len(rlve.collections.ALL) - 256 - 50
    assert LessonConfig(environments=("C4",), without=()).names() == list(rlve.collections.C4)
    assert LessonConfig(environments=("C4",), without=("C1",)).names() == [*rlve.collections.C4[1:]]
    assert len(LessonConfig().names()) == len(rlve.collections.ALL) - 50


def test_held_out_environments_are_taught_if_they_are_named_and_not_otherwise():
    held_out = rlve.collections.HELD_OUT
    assert {*LessonConfig(worked="only").names()}.isdisjoint(held_out)
    assert LessonConfig(environments=("HELD_OUT",)).names() == list(held_out)
    named = LessonConfig(environments=("ALL", held_out[3])).names()
    assert {*named} & {*held_out} == {held_out[3]}


def test_the_share_of_worked_solutions_is_told(pupil, tmp_path):
    config = lesson(pupil, tmp_path / "run", steps=1)
    data = replace(config.data, environments=("Sorting", "Successor"), levels=(0,))
    data = replace(data, worked="where-possible", max_prompt_tokens=512, max_answer_tokens=1024)
    teach(replace(config, data=data))
    history = read_teaching_history(tmp_path / "run")
    [step] = history.steps
    assert 0 < step.worked < step.examples
    assert f"references, {step.worked / step.examples:.0%} of them worked out" in headline(history)


def test_nano_has_settings_of_its_own():
    assert teaching_config().policy == teaching_config("nano").policy
    assert teaching_config("nano").policy.format == "plain"
    assert teaching_config("some/model").policy == PolicyConfig(model="some/model")
    for name in (None, "some/model"):
        teaching_config(name).check()
