"""The training loop: collect a batch, update the weights, move the curriculum; again and again.

    with Run(config) as run:
        for metrics in run:             a training step each
            print(metrics.step, metrics.accuracy)

A run is a folder: config.json, metrics.jsonl (a line a step), validation.jsonl (accuracy on unseen
problems), rollouts.jsonl (samples), curriculum.json (its state at the latest checkpoint), and
checkpoints/. Interrupted at any moment, it goes on from its latest checkpoint: with the same
weights, random numbers, problems and partial rollouts as if it had never stopped.
"""

# torch and transformers leave many of their types unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import copy
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol, Self

import torch

from rlve.errors import UserError
from rlve.files import append_line, differing, locked, pretty, write_lines, write_whole
from rlve.gym import Gym, mean
from rlve.models.engines.choosing import make_engine
from rlve.models.memory import Sampler, check_memory
from rlve.models.policy import Policy, computing_in, load_policy
from rlve.pool import Pool
from rlve.train.advantages import group_advantages
from rlve.train.checkpoint import (
    latest_checkpoint,
    load_state,
    load_tensors,
    save_checkpoint,
)
from rlve.train.collect import Batch, Collector
from rlve.train.config import Config, RolloutConfig, read_config
from rlve.train.groups import Group
from rlve.train.history import (
    CONFIG,
    METRICS,
    ROLLOUTS,
    VALIDATION,
    GroupSample,
    SampledOutput,
    StepMetrics,
    ValidationRecord,
    read_validations,
)
from rlve.train.rlvr import DatasetStream, load_questions
from rlve.train.update import DivergedError, TrainingRow, Updater, learning_rate
from rlve.train.validation import Validation, plan_validation

SAMPLED_GROUPS: Final = 4  # whose rollouts are written down, every so many steps
WRITTEN_ON: Final = (METRICS, ROLLOUTS)  # files that grow with every step
# How far the log-probabilities of tokens that were just sampled may be from the trained model's, on
# average. Rounding makes about 1e-6 of it in float32 and 0.01 in bfloat16, in which engines sample
# on a GPU; what is above samples from another distribution.
WIDEST_GAP: Final = {"float32": 0.01, "bfloat16": 0.1}
QUANTILES: Final = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}


class Watcher(Protocol):
    """What a run reports to: a live view, a logger."""

    def collecting(self, step: int, kept: int, finished: int) -> None:
        """Groups of the present step so far."""
        ...

    def stepped(self, metrics: StepMetrics) -> None:
        """A step is over."""
        ...

    def validating(self, step: int, done: int, total: int) -> None:
        """Outputs of the present measurement of accuracy so far."""
        ...

    def validated(self, record: ValidationRecord) -> None:
        """Accuracy was measured."""
        ...


@dataclass(frozen=True)
class TrainingOutcome:
    """How a run ended."""

    folder: Path
    step: int
    interrupted: bool = False


def train(
    config: Config,
    watchers: Sequence[Watcher] = (),
    *,
    resume: bool = False,
    on_interrupt: Callable[[], None] | None = None,
) -> TrainingOutcome:
    """Train until the last step, or until Ctrl-C: then the step is finished and a checkpoint made.

    `on_interrupt` is called when Ctrl-C is pressed. A second Ctrl-C stops at once, and loses what
    came after the latest checkpoint.
    """
    with Run(config, watchers, resume=resume, on_interrupt=on_interrupt) as run:
        for _ in run:
            pass
        return TrainingOutcome(run.folder, run.step, interrupted=run.step < config.run.steps)


class Run:
    """A training run: its parts, and where it stands. Iterating over it trains.

    resume        go on with the run that is in the folder
    watchers      are told what happens
    on_interrupt  is called when Ctrl-C is pressed: the step is finished, and a checkpoint made
    """

    def __init__(
        self,
        config: Config,
        watchers: Sequence[Watcher] = (),
        *,
        resume: bool = False,
        on_interrupt: Callable[[], None] | None = None,
    ) -> None:
        config.check()
        if config.run.folder is None:
            raise UserError("run.folder is not set")
        self.config = config
        self.folder: Path = config.run.folder
        self.watchers = watchers
        self.resume = resume
        self.on_interrupt = on_interrupt
        self.step = 0  # steps done
        self.checkpointed = 0  # of them, those that the latest checkpoint holds
        self.seconds = 0.0  # of training, over all sessions
        self._aside = {"validation": 0.0, "checkpoint": 0.0}  # seconds, since the last step
        self._stack = ExitStack()
        _check_folder(self.folder, config, resume=resume)

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            if there := self.folder.is_dir():  # that somebody else is at it is known at once
                stack.enter_context(locked(self.folder))
            self._build(stack)
            if not there:  # what cannot work has been refused by now, and left nothing behind
                self.folder.mkdir(parents=True, exist_ok=True)
                stack.enter_context(locked(self.folder))
            write_whole(self.folder / CONFIG, pretty(self.config))
            if self.resume:
                self._restore()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def __iter__(self) -> Iterator[StepMetrics]:
        """A step at a time, until the last one or Ctrl-C; what is due in between is measured."""
        with interrupts(self.on_interrupt) as interrupted:
            while True:
                self._validate()
                if self.step >= self.config.run.steps or interrupted():
                    break
                yield self.train_step()
            if self.checkpointed < self.step:
                self.checkpoint()

    def _build(self, stack: ExitStack) -> None:
        config, rollout = self.config, self.config.rollout
        torch.manual_seed(config.run.seed)
        check_memory(
            config.policy,
            Sampler(rollout.engine, rollout.memory, rollout.sleep),
            tokens=config.update.micro_batch_tokens,
            anchored=config.update.kl > 0,
        )
        self.policy = load_policy(
            config.policy, context=config.data.max_prompt_tokens + rollout.max_tokens
        )
        self.device = next(self.policy.model.parameters()).device
        if self.device.type == "cpu":
            stack.enter_context(repeatable())
        computing = computing_in(config.policy, self.device)
        pool = stack.enter_context(Pool(config.run.workers, deadline=rollout.deadline))
        self.gym = make_gym(config, self.policy, pool)
        trained = [p for p in self.policy.model.parameters() if p.requires_grad]
        self.optimizer = torch.optim.AdamW(
            trained,
            lr=config.update.learning_rate,
            betas=(config.update.beta1, config.update.beta2),
            weight_decay=config.update.weight_decay,
            fused=self.device.type == "cuda",
        )
        self.updater = Updater(
            self.policy.model,
            self.optimizer,
            config.update,
            temperature=rollout.temperature,
            max_tokens=rollout.max_tokens,
            computing=computing,
            start=copy.deepcopy(self.policy.model) if config.update.kl > 0 else None,
        )
        self.engine = make_engine(
            self.policy,
            name=rollout.engine,
            max_tokens=rollout.max_tokens,
            slots=rollout.slots,
            temperature=rollout.temperature,
            seed=config.run.seed,
            context=config.data.max_prompt_tokens + rollout.max_tokens,
            group=rollout.group,
            memory=rollout.memory,
            sleep=rollout.sleep,
            computing=computing,
        )
        stack.callback(self.engine.close)
        self.collector = Collector(
            self.gym,
            self.engine,
            rollout,
            encode=self.policy.encode,
            decode=self.policy.decode,
        )
        on_dataset = config.data.dataset is not None
        plan = None if on_dataset else plan_validation(config, self.gym.curriculum.names)
        self.validation = plan and Validation(config, plan, self.policy, self.engine, self.gym)

    def train_step(self) -> StepMetrics:
        """One step; its metrics are written, and every so often a checkpoint."""
        timer = Timer()
        step = self.step + 1

        def progress(kept: int, finished: int) -> None:
            for watcher in self.watchers:
                watcher.collecting(step, kept, finished)

        with timer("rollouts"):
            batch = self.collector.collect(step, progress)
        with timer("update"):
            learnt = self._update(batch.groups)
            self.engine.update(self.policy.model)
        seen = self.gym.step()
        self.step = step
        if step % self.config.run.samples_every == 0 or step == 1:
            self._write_samples(batch)
        self.seconds += timer.total + sum(self._aside.values())
        rollouts = [rollout for group in batch.finished for rollout in group.rollouts]
        lengths = sorted(len(rollout.tokens) for rollout in rollouts)
        metrics = StepMetrics(
            **{name: getattr(seen, name) for name in seen.__struct_fields__},
            step=step,
            tokens=sum(lengths),
            response_tokens=mean(lengths),
            response_quantiles=_quantiles(lengths),
            truncated=mean(rollout.ending == "length" for rollout in rollouts),
            trained_groups=len(batch.groups),
            cached_groups=len(self.collector.cache),
            given_up_groups=batch.given_up,
            staleness=mean(step - group.step for group in batch.groups),
            learning_rate=self._learning_rate(step),
            **learnt,
            seconds={**timer.phases, **self._aside, "in all": self.seconds},
        )
        self._aside = dict.fromkeys(self._aside, 0.0)
        append_line(self.folder / METRICS, metrics)
        if step % self.config.run.checkpoint_every == 0 or step == self.config.run.steps:
            self.checkpoint()
        for watcher in self.watchers:
            watcher.stepped(metrics)
        return metrics

    def _update(self, groups: Sequence[Group]) -> dict[str, Any]:
        rows = [found for group in groups if (found := self._rows(group))]
        if not rows:  # no group had signal; the curriculum may still move
            return {}
        for parameters in self.optimizer.param_groups:
            parameters["lr"] = self._learning_rate(self.step + 1)
        try:
            learnt = self.updater.update(rows)
        except DivergedError as error:
            last = latest_checkpoint(self.folder / "checkpoints")
            raise UserError(
                f"step {self.step + 1}: {error}; the run was stopped, and its last good "
                f"checkpoint is {last or 'none'}"
            ) from error
        except torch.OutOfMemoryError as error:
            raise UserError(
                "out of memory in the update; lower update.micro-batch-tokens or "
                "rollout.max-tokens, or set policy.gradient-checkpointing"
            ) from error
        self._check_gap(learnt.get("sampler_gap"))
        return learnt

    def _check_gap(self, gap: float | None) -> None:
        """Stop a run that trains on outputs of something else than its policy."""
        half = self.device.type == "cuda" or self.config.policy.dtype == "bfloat16"
        widest = WIDEST_GAP["bfloat16" if half else "float32"]
        if gap is not None and gap > widest:
            raise UserError(
                f"step {self.step + 1}: what is sampled is not the policy that is trained: the "
                f"log-probabilities of fresh tokens differ by {gap:.3g} on average, and rounding "
                f"explains at most {widest:g}; choose another rollout.engine"
            )

    def _learning_rate(self, step: int) -> float:
        return learning_rate(self.config.update, step, self.config.run.steps)

    def _rows(self, group: Group) -> list[TrainingRow]:
        learnable = group.learnable
        rewards = [
            self.gym.reward(verdict) + overlong_penalty(self.config.rollout, len(rollout.tokens))
            for rollout, verdict in learnable
        ]
        advantages = group_advantages(rewards, normalised=self.config.update.loss != "dr-grpo")
        masked = self.config.rollout.overlong == "mask"
        return [
            TrainingRow(rollout.prompt, rollout.tokens, rollout.logprobs, advantage, rollout.stale)
            for (rollout, _), advantage in zip(learnable, advantages, strict=True)
            if not (masked and rollout.ending == "length")
        ]

    def _validate(self) -> None:
        """Measure accuracy, if that is due after the present step and was not done yet."""
        if self.validation is None:
            return
        plan, step = self.validation.plan, self.step
        done = {record.step for record in read_validations(self.folder)}
        if step in done or not plan.due(step, self.config.run.steps):
            return

        def progress(done: int, total: int) -> None:
            for watcher in self.watchers:
                watcher.validating(step, done, total)

        record = self.validation.measure(step, progress)
        append_line(self.folder / VALIDATION, record)
        self._aside["validation"] += record.seconds
        for watcher in self.watchers:
            watcher.validated(record)

    def _write_samples(self, batch: Batch) -> None:
        for group in batch.finished[:SAMPLED_GROUPS]:
            if not group.learnable:
                continue
            item = group.item
            by_reward = sorted(group.learnable, key=lambda pair: pair[1].reward)
            (worst, worst_verdict), (best, best_verdict) = by_reward[0], by_reward[-1]
            sample = GroupSample(
                step=self.step,
                environment=item.name,
                difficulty=item.difficulty,
                seed=item.seed,
                prompt=item.problem.prompt(),
                reference=item.problem.reference(),
                rewards=[verdict.reward for _, verdict in group.learnable],
                best=SampledOutput(best.text, best_verdict),
                worst=SampledOutput(worst.text, worst_verdict),
            )
            append_line(self.folder / ROLLOUTS, sample)

    def checkpoint(self) -> Path:
        """Write a checkpoint of the run as it stands after the last step."""
        begin = time.perf_counter()
        place = save_checkpoint(
            self.folder / "checkpoints",
            self.step,
            self.policy,
            self.optimizer,
            self.engine.state_dict(),
            {
                "gym": self.gym.state_dict(),
                "collector": self.collector.state_dict(),
                "seconds": self.seconds,
                "bytes": {name: _size(self.folder / name) for name in WRITTEN_ON},
            },
            keep=self.config.run.keep_checkpoints,
        )
        write_whole(self.folder / "curriculum.json", pretty(self.gym.curriculum.state_dict()))
        self._aside["checkpoint"] += time.perf_counter() - begin
        self.checkpointed = self.step
        return place

    def _restore(self) -> None:
        """Go on from the latest checkpoint; without one, from the start."""
        place = latest_checkpoint(self.folder / "checkpoints")
        if place is None:
            for name in WRITTEN_ON:
                (self.folder / name).unlink(missing_ok=True)
        else:
            self._load(place)
        if (self.folder / VALIDATION).exists():  # accuracy is that of weights, and they are back
            known = [each for each in read_validations(self.folder) if each.step <= self.step]
            write_lines(self.folder / VALIDATION, known)
            if self.validation is not None and known:
                self.validation.go_on_from(known[0])

    def _load(self, place: Path) -> None:
        """Stand where a checkpoint was written."""
        state = load_state(place)
        tensors = load_tensors(place)
        self.policy.load_weights(place / "model")
        self.optimizer.load_state_dict(tensors["optimizer"])
        self.engine.load_state_dict(tensors["engine"])
        self.engine.update(self.policy.model)
        self.gym.load_state_dict(state["gym"])
        self.collector.load_state_dict(state["collector"])
        self.step = self.checkpointed = state["step"]
        self.seconds = state["seconds"]
        for name in WRITTEN_ON:  # what came later will come again
            if _size(self.folder / name) > state["bytes"][name]:
                os.truncate(self.folder / name, state["bytes"][name])


@contextmanager
def interrupts(on_press: Callable[[], None] | None = None) -> Generator[Callable[[], bool]]:
    """Says whether Ctrl-C was pressed; pressed twice, it interrupts as usual."""
    pressed = 0

    def press(number: int, frame: Any) -> None:
        nonlocal pressed
        pressed += 1
        if pressed > 1:
            raise KeyboardInterrupt
        if on_press is not None:
            on_press()

    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    usual = signal.signal(signal.SIGINT, press)
    try:
        yield lambda: pressed > 0
    finally:
        signal.signal(signal.SIGINT, usual)


@contextmanager
def repeatable() -> Generator[None]:
    """Let torch add up in the same order each time, also on several threads."""
    before = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before)


def make_gym(config: Config, policy: Policy, pool: Pool) -> Gym:
    """The problems and the curriculum that the settings describe."""
    data, rollout = config.data, config.rollout
    source = None
    if data.dataset is not None:
        questions = load_questions(data.dataset)
        short = [q for q in questions if len(policy.encode(q)) <= data.max_prompt_tokens]
        if not short:
            raise UserError(
                f"no prompt of {data.dataset} has at most {data.max_prompt_tokens:,} tokens; "
                "raise data.max-prompt-tokens"
            )
        source = DatasetStream(short, seed=config.run.seed, too_long=len(questions) - len(short))
    return Gym(
        data.environments,
        group=rollout.group,
        seed=config.run.seed,
        format=policy.form,
        signal=rollout.signal,
        curriculum=data,
        max_prompt_length=data.max_prompt_tokens,
        length=lambda text: len(policy.tokens_of(text)),
        ahead=rollout.oversample,
        pool=pool,
        source=source,
    )


def overlong_penalty(config: RolloutConfig, tokens: int) -> float:
    """From 0 down to -1 over the last tokens before the response limit, if that is asked for."""
    if config.overlong != "penalise":
        return 0.0
    begins = config.max_tokens - config.overlong_buffer
    return min(0.0, (begins - tokens) / config.overlong_buffer)


class Timer:
    """Seconds by phase."""

    def __init__(self) -> None:
        self.phases: dict[str, float] = {}
        self._begin = time.perf_counter()

    @contextmanager
    def __call__(self, phase: str) -> Generator[None]:
        begin = time.perf_counter()
        yield
        self.phases[phase] = self.phases.get(phase, 0.0) + time.perf_counter() - begin

    @property
    def total(self) -> float:
        return time.perf_counter() - self._begin


def _quantiles(lengths: Sequence[int]) -> dict[str, int]:
    """Of sorted lengths."""
    if not lengths:
        return {}
    last = len(lengths) - 1
    return {name: lengths[round(share * last)] for name, share in QUANTILES.items()}


def _check_folder(folder: Path, config: Config, *, resume: bool) -> None:
    """See that the folder is this run's own, or nobody's."""
    place = folder / CONFIG
    if resume:
        theirs = read_config(folder)
        last = latest_checkpoint(folder / "checkpoints")
        if last is not None and "gym" not in load_state(last):
            raise UserError(
                f"{folder} was begun by version 0.1 of rlve, whose checkpoints this version "
                "cannot go on from; its weights can be trained on with --policy.model "
                f"{last / 'model'}"
            )
        if others := changed(json.loads(pretty(theirs)), json.loads(pretty(config))):
            raise UserError(f"{folder} belongs to a run with other settings: {', '.join(others)}")
    elif place.exists():
        raise UserError(f"{folder} holds a run already; go on with it by --resume {folder}")


def changed(theirs: dict[str, Any], mine: dict[str, Any]) -> list[str]:
    """The settings that differ and change what is computed; a run may be prolonged, say."""
    return [
        name
        for name in differing(theirs, mine)
        if not name.startswith("run.") or name == "run.seed"
    ]


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
