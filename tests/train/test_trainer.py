import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from math import nan
from pathlib import Path
from random import Random

import msgspec
import pytest
import torch
from safetensors.torch import load_file

import rlve
from rlve.contract import Verdict
from rlve.errors import FolderBusy
from rlve.foundation.files import read_lines, write_lines
from rlve.foundation.run_folders import checkpoints, latest_checkpoint
from rlve.gym import has_signal
from rlve.models.config import PolicyConfig
from rlve.pool import Failure
from rlve.reports import live
from rlve.reports.concerns import alarms
from rlve.train import runs, update
from rlve.train.advantages import group_advantages
from rlve.train.config import (
    Config,
    RolloutConfig,
    RunConfig,
    UpdateConfig,
    ValidationConfig,
)
from rlve.train.groups import RewardRule
from rlve.train.history import GroupRecord, read_history, read_steps, read_validations
from rlve.train.preflight import COSTS
from rlve.train.runs import RunOutcome
from rlve.train.trainer import Run, train
from rlve.train.watchers import Watcher
from support.run_tiny import MEASURED, tiny_config
from support.scripted import InstantPool
from support.successor import Successor

TESTS = Path(__file__).parents[1]


class Kept(Watcher):
    """Keeps what a run reports."""

    def __init__(self, interrupt_after=None):
        self.steps = []
        self.validations = []
        self.interrupt_after = interrupt_after
        self.stops = 0

    def stopping(self):
        self.stops += 1

    def collecting(self, step, kept, finished):
        assert step == len(self.steps) + 1

    def stepped(self, metrics):
        self.steps.append(metrics)
        if metrics.step == self.interrupt_after:
            os.kill(os.getpid(), signal.SIGINT)

    def validating(self, step, done, total):
        assert 0 <= done <= total

    def validated(self, record):
        self.validations.append(record)


# It learns.

MANY = ValidationConfig(levels=(0,), problems=100, every=1000, temperatures=(1.0, 0.6))


def learning(policy, folder, steps):
    config = tiny_config(policy, folder, steps=steps, static=(0, 0), validation=MANY)
    rollout = replace(config.rollout, oversample=8, group=16, max_tokens=2, slots=256)
    gently = replace(config.update, learning_rate=5e-3)
    run = replace(config.run, checkpoint_every=1000)
    outcome = train(replace(config, rollout=rollout, update=gently, run=run))
    assert outcome.step == steps
    first, last = read_validations(folder)
    assert (first.step, last.step) == (0, steps)
    return [
        (was.mean(), now.mean()) for was, now in zip(first.measured, last.measured, strict=True)
    ]


@pytest.fixture(scope="module")
def half_taught(tiny_policy, tmp_path_factory):
    """A policy that can get better, and worse."""
    folder = tmp_path_factory.mktemp("runs") / "half"
    for was, now in learning(tiny_policy, folder, 35):
        assert was < 0.2
        assert 0.2 < now < 0.9
    return latest_checkpoint(folder) / "model"


def test_a_policy_gets_better(half_taught, tmp_path):
    for was, now in learning(half_taught, tmp_path / "run", 40):
        assert now > was + 0.1
        assert now > 0.9


def test_with_the_sign_of_the_advantage_flipped_it_gets_worse(half_taught, tmp_path, monkeypatch):

    def flipped(rewards, normalisation):
        return [-advantage for advantage in group_advantages(rewards, normalisation)]

    monkeypatch.setattr("rlve.train.groups.group_advantages", flipped)
    for was, now in learning(half_taught, tmp_path / "run", 10):
        assert now < was - 0.1


# A run is a folder, and goes on exactly where it stopped.


@pytest.fixture(scope="module")
def uninterrupted(tiny_policy, tmp_path_factory):
    """The folder of a run that was never interrupted."""
    folder = tmp_path_factory.mktemp("runs") / "whole"
    train(measured_config(tiny_policy, folder))
    return folder


def measured_config(policy, folder, **settings):
    return tiny_config(policy, folder, validation=MEASURED, **settings)


def copied(folder, tmp_path):
    return shutil.copytree(folder, tmp_path / "copy")


def timeless(records):
    """Without what differs from one time to the next."""
    return [msgspec.to_builtins(record) | {"seconds": None} for record in records]


def weights(folder):
    place = latest_checkpoint(folder)
    return load_file(place / "model" / "model.safetensors")


def assert_same(folder, whole):
    assert timeless(read_steps(folder)) == timeless(read_steps(whole))
    assert timeless(read_validations(folder)) == timeless(read_validations(whole))
    found, expected = weights(folder), weights(whole)
    assert found.keys() == expected.keys()
    assert all(torch.equal(found[key], expected[key]) for key in found)


def test_the_run_folder(uninterrupted):
    steps = read_steps(uninterrupted)
    assert [step.step for step in steps] == list(range(1, 13))
    assert any(step.cached_groups for step in steps)
    assert any(step.staleness for step in steps)
    for step in steps:
        assert step.prompts > 0
        assert 0 <= step.effective_prompt_ratio <= 1
        lengths = step.response_quantiles
        assert lengths["p50"] <= lengths["p90"] <= lengths["p99"] <= lengths["max"] <= 20
        assert step.learning_rate == 1e-2
        assert step.entropy > 0
        assert step.seconds["in all"] > step.seconds["rollouts"] + step.seconds["update"]
    samples = read_history(uninterrupted).samples
    assert {sample.step for sample in samples} == {1, 4, 8, 12}
    assert all(sample.best.verdict.reward >= sample.worst.verdict.reward for sample in samples)
    assert [record.step for record in read_validations(uninterrupted)] == [0, 2, 4, 6, 8, 10, 12]
    assert [path.name for path in checkpoints(uninterrupted)] == [
        "step-000009",
        "step-000012",
    ]


def test_killed_and_resumed_it_ends_the_same(tiny_policy, tmp_path, uninterrupted):
    folder = tmp_path / "run"
    command = [sys.executable, "-m", "support.run_tiny", str(tiny_policy), str(folder), "fresh"]
    step = Random().randint(4, 10)  # at a random moment, each time another
    print("killed after step", step)
    with subprocess.Popen(command, cwd=TESTS) as process:
        try:
            wait_for_step(folder, step, process)
        finally:
            process.kill()
    train(measured_config(tiny_policy, folder), resume=True)
    assert_same(folder, uninterrupted)


def wait_for_step(folder, step, process):
    metrics = folder / "metrics.jsonl"
    for _ in range(60_000):
        if metrics.exists() and metrics.read_text().count("\n") >= step:
            return
        assert process.poll() is None, "it ended too early"
        time.sleep(0.01)
    raise TimeoutError


@pytest.mark.parametrize("after", [1, 4])  # before the first checkpoint; and with a measurement
def test_interrupted_and_resumed_it_ends_the_same(tiny_policy, tmp_path, uninterrupted, after):
    folder = tmp_path / "run"
    config = measured_config(tiny_policy, folder)
    first = Kept(interrupt_after=after)
    outcome = train(config, [first])
    assert outcome == RunOutcome(folder, after, interrupted=True)
    assert first.stops == 1
    assert latest_checkpoint(folder).name == f"step-{after:06d}"
    kept = Kept()
    kept.steps = read_steps(folder)
    assert not train(config, [kept], resume=True).interrupted
    measured = [record.step for record in (*first.validations, *kept.validations)]
    assert measured == [0, 2, 4, 6, 8, 10, 12]  # none twice
    assert_same(folder, uninterrupted)


def test_a_measurement_is_broken_off_and_made_after_resuming(tiny_policy, tmp_path, uninterrupted):
    folder = tmp_path / "run"
    config = measured_config(tiny_policy, folder)

    class Impatient(Kept):
        def validating(self, step, done, total):
            if step == 4:
                assert not interrupted  # nothing is sampled any more
                interrupted.append(done)
                os.kill(os.getpid(), signal.SIGINT)

    interrupted = []
    assert train(config, [Impatient()]).interrupted
    assert interrupted
    assert [record.step for record in read_validations(folder)] == [0, 2]
    assert latest_checkpoint(folder).name == "step-000004"
    train(config, resume=True)
    assert_same(folder, uninterrupted)


def test_before_the_first_step_it_stops_at_once(tiny_policy, tmp_path, uninterrupted):
    folder = tmp_path / "run"
    config = measured_config(tiny_policy, folder)
    heard = []

    class Impatient(Kept):
        def validating(self, step, done, total):
            heard.append((step, done))
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        train(config, [Impatient()])
    assert heard == [(0, 0)]  # not a single output was awaited
    assert not read_validations(folder)
    train(config, resume=True)
    assert_same(folder, uninterrupted)


def test_in_the_first_step_it_stops_at_once_where_nothing_was_measured(tiny_policy, tmp_path):
    class Impatient(Kept):
        def collecting(self, step, kept, finished):
            os.kill(os.getpid(), signal.SIGINT)

        def stopping(self):
            pytest.fail("it was told to wait for the end of the step")

    with pytest.raises(KeyboardInterrupt):
        train(tiny_config(tiny_policy, tmp_path / "run"), [Impatient()])


def test_stopped_before_its_first_checkpoint_it_begins_anew(tiny_policy, tmp_path, uninterrupted):
    folder = tmp_path / "run"
    config = measured_config(tiny_policy, folder)
    with Run(config) as run:
        steps = iter(run)
        next(steps)
        next(steps)
        steps.close()
    assert latest_checkpoint(folder) is None
    assert len(read_steps(folder)) == 2
    train(config, resume=True)
    assert_same(folder, uninterrupted)


def test_what_was_measured_after_the_checkpoint_is_measured_again(
    tiny_policy, tmp_path, uninterrupted
):
    folder = copied(uninterrupted, tmp_path)
    shutil.rmtree(folder / "checkpoints" / "step-000012")
    known = read_validations(folder)
    late = [msgspec.structs.replace(record, failures=99) for record in known if record.step > 9]
    write_lines(folder / "validation.jsonl", [*known[: -len(late)], *late])
    with (folder / "validation.jsonl").open("ab") as file:
        file.write(b'{"step": 1')  # and it was killed while it wrote
    train(measured_config(tiny_policy, folder), resume=True)
    assert_same(folder, uninterrupted)


def test_a_finished_run_has_nothing_left_to_do(tiny_policy, tmp_path, uninterrupted):
    folder = copied(uninterrupted, tmp_path)
    kept = Kept()
    outcome = train(measured_config(tiny_policy, folder), [kept], resume=True)
    assert kept.steps == kept.validations == []
    assert outcome == RunOutcome(folder, 12)
    for name in ("metrics.jsonl", "validation.jsonl"):
        assert (folder / name).read_bytes() == (uninterrupted / name).read_bytes()


def test_a_run_that_is_prolonged_measures_the_same_problems(tiny_policy, tmp_path):
    automatic = ValidationConfig(levels=(0, 3), problems=50)
    config = tiny_config(tiny_policy, tmp_path / "run", steps=2, validation=automatic)
    train(config)
    first = read_validations(tmp_path / "run")[0]
    longer = replace(config, run=replace(config.run, steps=1000))
    fresh = replace(longer, run=replace(longer.run, folder=tmp_path / "other"))
    with Run(fresh) as other, Run(longer, resume=True) as run:
        assert other.validation.plan.problems == 50
        assert run.validation.plan.problems == first.problems / 2 < 50
        assert run.validation.plan.every is not None


def test_measuring_changes_nothing_of_training(tiny_policy, tmp_path, uninterrupted):
    folder = tmp_path / "run"
    train(tiny_config(tiny_policy, folder))
    assert not (folder / "validation.jsonl").exists()
    assert timeless(read_steps(folder)) == timeless(read_steps(uninterrupted))
    assert (latest_checkpoint(folder) / "model/model.safetensors").read_bytes() == (
        latest_checkpoint(uninterrupted) / "model/model.safetensors"
    ).read_bytes()


# What a step trains on.


def rows_of(run):
    """What the updater of a run is given, step by step."""
    given = []
    right = run.updater.update

    def spied(groups):
        given.append(groups)
        return right(groups)

    run.updater.update = spied
    return given


def batches_of(run):
    """What the collector of a run gives, step by step."""
    given = []
    right = run.collector.collect

    def spied(*arguments):
        given.append(right(*arguments))
        return given[-1]

    run.collector.collect = spied
    return given


def test_what_could_not_be_judged_is_never_trained_on(tiny_policy, tmp_path):
    def judge(problem, output):  # answers with a 3 kill the judge
        return Failure("crash", "it died") if "3" in output else problem.verify(output)

    config = tiny_config(tiny_policy, tmp_path / "run", steps=3, tau_num=10**6)
    with Run(config) as run:
        run.gym.start_judging = InstantPool(judge).start_judging
        given, batches = rows_of(run), batches_of(run)
        steps = list(run)
        _, observed = run.gym.curriculum.counts("Successor")
        decode = run.policy.decode
    finished = [group for batch in batches for group in batch.finished]
    failed = sum(isinstance(each, Failure) for group in finished for each in group.judged)
    assert failed > 0
    assert sum(step.failures["Successor"]["crash"] for step in steps) == failed
    assert observed == 8 * len(finished) - failed  # the curriculum did not hear of them
    for batch, groups in zip(batches, given, strict=True):
        trained = [[row.tokens for row in group] for group in groups]
        assert trained == [[rollout.tokens for rollout, _ in g.learnable] for g in batch.groups]
        assert not any("3" in decode(tokens) for group in trained for tokens in group)
    assert any(len(group) < 8 for groups in given for group in groups)


@pytest.mark.parametrize("overlong", ["train", "mask", "penalise"])
def test_outputs_at_the_response_limit(overlong, tiny_policy, tmp_path):
    """They are trained on, not trained on, or have lost reward."""

    def judge(problem, output):  # half the groups have no signal
        return problem.verify(output if problem.digit % 2 else "")

    config = tiny_config(tiny_policy, tmp_path / "run", steps=1)
    settings = replace(config.rollout, overlong=overlong, overlong_buffer=10, max_tokens=12)
    with Run(replace(config, rollout=settings)) as run:
        run.gym.start_judging = InstantPool(judge).start_judging
        given, batches = rows_of(run), batches_of(run)
        list(run)
    expected = []
    for group in batches[0].groups:
        rewards = [
            verdict.reward - max(0, len(rollout.tokens) - 2) / 10 * (overlong == "penalise")
            for rollout, verdict in group.learnable
        ]
        assert group.outcome.rewards == pytest.approx(rewards)
        outputs = zip(group.rollouts, group_advantages(rewards), strict=True)
        kept = [
            (rollout.tokens, pytest.approx(advantage))
            for rollout, advantage in outputs
            if overlong != "mask" or rollout.ending == "stop"
        ]
        expected += [kept] if kept else []
    assert [[(row.tokens, row.advantage) for row in group] for group in given[0]] == expected
    stored = read_lines(tmp_path / "run" / "groups.jsonl", GroupRecord)
    uneven = 0  # groups without signal whose outputs differ in length
    for group, record in zip(batches[0].finished, stored, strict=True):
        if not has_signal([verdict.reward for _, verdict in group.learnable]):
            assert (record.signal, record.advantages) == (False, [])
            uneven += len({len(rollout.tokens) for rollout in group.rollouts}) > 1
        elif group in batches[0].groups:
            trained = given[0].pop(0)
            weights = iter([round(row.advantage, 3) for row in trained])
            masked = [overlong == "mask" and r.ending == "length" for r in group.rollouts]
            assert record.advantages == [0 if out else next(weights) for out in masked]
    assert uneven
    assert given[0] == []
    endings = {rollout.ending for group in batches[0].groups for rollout in group.rollouts}
    assert endings == {"stop", "length"}


def test_the_penalty_grows_over_the_last_tokens_before_the_limit():
    config = RolloutConfig(max_tokens=100, overlong="penalise", overlong_buffer=20)
    penalties = [RewardRule(config).penalty(tokens) for tokens in (1, 79, 80, 81, 90, 100)]
    assert penalties == pytest.approx([0, 0, 0, -0.05, -0.5, -1])
    for overlong in ("train", "mask"):
        assert RewardRule(replace(config, overlong=overlong)).penalty(100) == 0


def test_the_learning_rate_of_a_step_is_that_of_its_schedule(tiny_policy, tmp_path):
    config = tiny_config(tiny_policy, tmp_path / "run", steps=4)
    rollout = replace(config.rollout, problems=2, oversample=4, max_tokens=2)
    update = replace(config.update, schedule="linear", warmup_steps=2)
    with Run(replace(config, rollout=rollout, update=update)) as run:
        for metrics, rate in zip(run, [0.5e-2, 1e-2, 1e-2, 0.5e-2], strict=True):
            assert metrics.learning_rate == pytest.approx(rate, abs=1e-6)
            assert metrics.loss is not None
            assert run.optimizer.param_groups[0]["lr"] == metrics.learning_rate


# What goes wrong is said.


def test_a_loss_that_is_no_number_names_the_last_good_checkpoint(
    tiny_policy, tmp_path, monkeypatch
):
    right = update.policy_loss

    def spoilt(*arguments, **settings):
        parts = right(*arguments, **settings)
        late = latest_checkpoint(tmp_path / "run") is not None
        return parts._replace(loss=parts.loss * float("nan")) if late else parts

    monkeypatch.setattr(update, "policy_loss", spoilt)
    with pytest.raises(rlve.UserError, match=r"the loss is nan.*last good checkpoint is .*step-00"):
        train(tiny_config(tiny_policy, tmp_path / "run"))
    assert len(read_steps(tmp_path / "run")) == 3


@pytest.mark.parametrize(("dtype", "widest"), [("float32", 0.01), ("bfloat16", 0.1)])
def test_a_sampler_that_is_not_the_policy_stops_the_run(
    tiny_policy, tmp_path, monkeypatch, dtype, widest
):
    config = tiny_config(tiny_policy, tmp_path / "run", steps=3)
    config = replace(config, policy=replace(config.policy, dtype=dtype))
    right = update.Updater.update
    gaps = iter([0.9 * widest, 1.1 * widest])

    def drifted(self, groups):
        return {**right(self, groups), "sampler_gap": next(gaps)}

    monkeypatch.setattr(update.Updater, "update", drifted)
    with pytest.raises(rlve.UserError, match=rf"step 2: .* fresh tokens differ by .* {widest:g}"):
        train(config)
    assert [step.step for step in read_steps(tmp_path / "run")] == [1]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"rollout": RolloutConfig(group=1)}, "rollout.group must be at least 2"),
        ({"rollout": RolloutConfig(problems=8, oversample=4)}, "rollout.oversample"),
        (
            {"rollout": RolloutConfig(overlong="penalise", max_tokens=100)},
            r"overlong-buffer \(4,096\) must be at most rollout.max-tokens \(100\)",
        ),
        ({"update": UpdateConfig(updates_per_step=3)}, "must divide"),
        ({"update": UpdateConfig(learning_rate=nan)}, "update.learning-rate"),
        ({"update": UpdateConfig(clip_low=1.0)}, r"update\.clip-low must"),
        ({"run": RunConfig(steps=0)}, "run.steps must be at least 1"),
        ({"validation": ValidationConfig(levels=())}, "one or more numbers"),
        ({"policy": PolicyConfig(template_arguments=("thinking",))}, "NAME=VALUE"),
    ],
)
def test_settings_that_cannot_work_are_refused(change, complaint):
    with pytest.raises(rlve.UserError, match=complaint):
        replace(Config(), **change).check()


OUT_OF_MEMORY = (
    r"step 5: out of memory in the update; lower update.micro-batch-tokens or set "
    r"policy.gradient-checkpointing, together with --resume {folder}, which continues from "
    r"{folder}/checkpoints/step-000003; or begin another run with a lower rollout.memory, "
    r"rollout.slots or rollout.max-tokens"
)


def test_after_running_out_of_memory_it_goes_on_with_smaller_batches(
    tiny_policy, tmp_path, uninterrupted, monkeypatch, caplog
):
    folder = tmp_path / "run"
    config = measured_config(tiny_policy, folder)
    right, calls = update.Updater.update, []

    def exhausted(self, groups):
        calls.append(len(groups))
        if len(calls) == 5:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return right(self, groups)

    with monkeypatch.context() as patched:
        patched.setattr(update.Updater, "update", exhausted)
        with pytest.raises(rlve.UserError) as caught:
            train(config)
    assert str(caught.value) == OUT_OF_MEMORY.format(folder=folder)
    assert "stays the same" not in caplog.text
    frugal = replace(
        config,
        policy=replace(config.policy, gradient_checkpointing=True),
        rollout=replace(config.rollout, memory=0.2, sleep=False, deadline=60.0),
        update=replace(config.update, micro_batch_tokens=128, share_prompts=False),
        run=replace(config.run, steps=5),
    )
    assert train(frugal, resume=True).step == 5
    for name, up_to in COSTS.items():
        if name.split(".")[0] in ("policy", "rollout", "update"):
            assert f"resuming with another {name}; the run stays the same up to {up_to}" in (
                caplog.text
            )
    found, expected = read_steps(folder)[3], read_steps(uninterrupted)[3]
    assert (found.tokens, found.reward) == (expected.tokens, expected.reward)
    assert found.loss == pytest.approx(expected.loss, abs=1e-5)
    assert found.grad_norm == pytest.approx(expected.grad_norm, rel=1e-3)
    other = replace(frugal, rollout=replace(frugal.rollout, slots=41))
    with pytest.raises(rlve.UserError, match=r"other settings: rollout\.slots"):
        train(other, resume=True)


def test_memory_that_runs_out_while_the_sampler_gets_new_weights(
    tiny_policy, tmp_path, monkeypatch
):
    def exhausted(model):
        raise torch.OutOfMemoryError("CUDA out of memory")

    with Run(tiny_config(tiny_policy, tmp_path / "run")) as run:
        monkeypatch.setattr(run.engine, "update", exhausted)
        with pytest.raises(
            rlve.UserError, match=r"out of memory .*micro-batch.*memory, rollout\.s"
        ):
            run.finish()


def test_adapters_need_no_second_model_for_the_kl_term(tiny_policy, tmp_path, monkeypatch):
    pytest.importorskip("peft", reason="adapters need rlve[lora]")
    planned = []
    monkeypatch.setattr(runs, "check_memory", lambda *_, **more: planned.append(more["anchored"]))
    for rank, anchored in ((2, False), (0, True)):
        config = tiny_config(tiny_policy, tmp_path / f"run-{rank}")
        policy = replace(config.policy, lora_rank=rank)
        with Run(replace(config, policy=policy, update=replace(config.update, kl=0.1))) as run:
            assert (run.updater._start is not None) == planned.pop() == anchored


def test_a_model_that_does_not_fit_is_told_of_at_the_start(tiny_policy, tmp_path, monkeypatch):
    def exhausted(*args):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(runs, "make_optimizer", exhausted)
    with pytest.raises(rlve.UserError, match="do not fit into the memory that is free"):
        train(tiny_config(tiny_policy, tmp_path / "run"))
    assert not (tmp_path / "run").exists()


def test_a_longer_run_warns_of_a_learning_rate_that_jumps(tiny_policy, tmp_path, caplog):
    for schedule, said in (("constant", False), ("linear", True)):
        config = tiny_config(tiny_policy, tmp_path / schedule, steps=2)
        config = replace(config, update=replace(config.update, schedule=schedule))
        train(config)
        with Run(replace(config, run=replace(config.run, steps=8)), resume=True):
            assert ("learning rate" in caplog.text) == said
    assert (
        "the learning rate follows run.steps, which is 8 instead of 2: it was 0.005 at step 2, "
        "and is 0.0075 at step 3"
    ) in caplog.text


def test_bad_input_is_named_before_any_work(tiny_policy, tmp_path):
    config = tiny_config(tiny_policy, tmp_path / "run")
    unknown = replace(config.data, environments=("Successr",))
    with pytest.raises(rlve.UserError, match="did you mean 'Successor'"):
        train(replace(config, data=unknown))
    missing = replace(config.policy, model=str(tmp_path / "nowhere"))
    with pytest.raises(rlve.UserError, match=r"there is no folder .*nowhere"):
        train(replace(config, policy=missing))
    with pytest.raises(rlve.UserError, match=r"run\.folder is not set"):
        Run(tiny_config(tiny_policy, None))
    assert not (tmp_path / "run").exists()  # nothing is left behind


def test_python_shows_progress_if_asked_to(tiny_policy, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    config = tiny_config(tiny_policy, None)
    config = replace(config, run=replace(config.run, steps=2))
    outcome = train(config, show=live.show)
    assert outcome.folder.parent == Path("runs")
    assert "step 2/2  reward " in capsys.readouterr().out
    train(replace(config, run=replace(config.run, folder=tmp_path / "quiet")))
    assert capsys.readouterr().out == ""


def test_a_folder_belongs_to_one_run(tiny_policy, tmp_path, uninterrupted):
    folder = copied(uninterrupted, tmp_path)
    config = measured_config(tiny_policy, folder)
    with pytest.raises(rlve.UserError, match="already holds a run"):
        train(config)
    other = replace(config, update=replace(config.update, learning_rate=1e-3))
    with pytest.raises(rlve.UserError, match=r"other settings: update\.learning_rate"):
        train(other, resume=True)
    colder = replace(config, validation=replace(MEASURED, temperatures=(0.1,)))
    with pytest.raises(rlve.UserError, match=r"other settings: validation\.temperatures"):
        train(colder, resume=True)
    with pytest.raises(rlve.UserError, match="is not the folder of a training run"):
        train(tiny_config(tiny_policy, tmp_path / "none"), resume=True)


HOLD = (
    "import fcntl, sys; f = open(sys.argv[1], 'ab'); fcntl.flock(f, fcntl.LOCK_EX);"
    "print('locked', flush=True); sys.stdin.read()"
)


def test_a_second_process_is_refused_at_once(tiny_policy, tmp_path, uninterrupted, monkeypatch):
    folder = copied(uninterrupted, tmp_path)
    config = measured_config(tiny_policy, folder)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    command = [sys.executable, "-c", HOLD, folder / ".lock"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"locked\n"
        with monkeypatch.context() as patched:
            patched.setattr(runs, "load_policy", None)  # it is not even loaded
            with pytest.raises(FolderBusy, match="another process"):
                train(config, resume=True)
        assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        other.stdin.close()
    with Run(config, resume=True), pytest.raises(FolderBusy):
        train(config, resume=True)


def test_a_run_holds_the_lock_of_a_folder_that_it_made(tiny_policy, tmp_path):
    config = tiny_config(tiny_policy, tmp_path / "run")
    with Run(config), pytest.raises(FolderBusy, match="another process is working in"):
        train(config, resume=True)


def test_verdicts_are_what_is_written_down(uninterrupted):
    for sample in read_history(uninterrupted).samples:
        problem = rlve.environment(sample.environment).generate(
            difficulty=sample.difficulty, seed=sample.seed
        )
        assert problem.prompt() == sample.prompt
        for output in sample.outputs:
            found = problem.verify(output.text)
            assert isinstance(found, Verdict)
            assert found == output.verdict


def test_all_verdicts_are_kept_and_agree_with_metrics_and_texts(uninterrupted):
    groups = read_lines(uninterrupted / "groups.jsonl", GroupRecord)
    for step in read_steps(uninterrupted):
        those = [group for group in groups if group.step == step.step]
        assert len(those) == step.prompts
        letters = "".join(group.verdicts for group in those)
        assert letters.count("c") / len(letters) == pytest.approx(step.accuracy)
        assert letters.count("i") / len(letters) == pytest.approx(step.ill_formed)
        assert sum(sum(group.tokens) for group in those) == step.tokens
        rewards = [reward for group in those for reward in group.rewards]
        assert sum(rewards) / len(rewards) == pytest.approx(step.reward)
        signal = [bool(group.advantages) for group in those]
        assert sum(signal) / len(signal) == pytest.approx(step.effective_prompt_ratio)
    by_key = {(g.step, g.environment, g.difficulty, g.seed): g for g in groups}
    for sample in read_history(uninterrupted).samples:
        group = by_key[sample.step, sample.environment, sample.difficulty, sample.seed]
        assert 2 <= len(sample.outputs) <= 8 or len(set(group.rewards)) == 1
        for output in sample.outputs:
            assert group.rewards[output.place] == output.verdict.reward
            assert (group.verdicts[output.place] == "c") == output.verdict.correct


def test_problems_that_had_come_up_before_are_counted(uninterrupted):
    """Of Successor there are four at difficulty 0. A resumed run counts the same (assert_same)."""
    groups = read_lines(uninterrupted / "groups.jsonl", GroupRecord)
    steps = read_steps(uninterrupted)
    different = {
        d: sum(
            s.drawn["Successor"].get(d, 0) - s.repeated.get("Successor", {}).get(d, 0)
            for s in steps
        )
        for d in {group.difficulty for group in groups}
    }
    drawn = {
        (g.difficulty, Successor.generate(difficulty=g.difficulty, seed=g.seed).digit)
        for g in groups
    }
    assert different == Counter(d for d, _ in drawn)
    assert different[0] == 4
    assert "Successor at difficulty 0 (4 different ones in" in alarms(steps)["problems"]


def test_on_a_cpu_torch_adds_up_in_the_same_order_while_a_run_is_open(tiny_policy, tmp_path):
    config = tiny_config(tiny_policy, tmp_path / "run")
    assert not torch.are_deterministic_algorithms_enabled()
    with Run(config):
        assert torch.are_deterministic_algorithms_enabled()
    assert not torch.are_deterministic_algorithms_enabled()
