"""What all runs have in common, whether they learn from rewards or references: a folder and a loop.

The folder holds config.json, metrics.jsonl (a line per step), validation.jsonl (accuracy on test
problems) and checkpoints/. One process works in it at a time. A run can be interrupted at any
moment, and resumes from its latest checkpoint as if it had never stopped.
"""

import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

import msgspec
import torch

from rlve import __version__
from rlve.contract import Problem
from rlve.errors import UserError
from rlve.foundation.files import FULL, append_line, keep_lines, remove_drafts, to_disk
from rlve.foundation.run_folders import (
    METRICS,
    MODEL,
    VALIDATION,
    check_own,
    checkpoints,
    latest_checkpoint,
    locked,
    write_settings,
)
from rlve.models.engines import Engine
from rlve.models.engines.choice import make_engine
from rlve.models.memory import MARGIN, Sampler, check_memory
from rlve.models.pass_sizes import FIRST_ON_GPU
from rlve.models.policy import Policy, computing_in, load_policy
from rlve.models.rollouts import NoNumbersError
from rlve.pool import Pool
from rlve.registry import DIALOGUE, family
from rlve.train import checkpoint as stored
from rlve.train.checkpoint import RunState, save_checkpoint
from rlve.train.config import with_folder
from rlve.train.costs import Cost, tell_cost
from rlve.train.history import read_validations
from rlve.train.loggers import Loggers
from rlve.train.model_limits import fit_to_model
from rlve.train.preflight import COSTS, check_free, check_same, preflight
from rlve.train.stops import Phase, TimeLimit, interrupts
from rlve.train.teaching.config import AnyConfig
from rlve.train.update import DivergedError, learning_rate, make_optimizer
from rlve.train.validation import Validation, plan_validation
from rlve.train.watchers import View, Watcher

_log = logging.getLogger("rlve.train")


C = TypeVar("C", bound=AnyConfig)
M = TypeVar("M")


@dataclass(frozen=True)
class RunOutcome:
    """How a run ended."""

    folder: Path
    step: int
    interrupted: bool = False


class BaseRun(ABC, Generic[C, M]):
    """A run: its parts and its state. Iterating over it trains.

    watchers   receive reports of what happens
    resume     resume the run in the folder
    """

    KIND: ClassVar[str]
    """The name of its kind in run_folders."""
    WRITTEN_ON: ClassVar[tuple[str, ...]]
    """The files whose lines belong to a step."""

    # Made by _build().
    policy: Policy
    device: torch.device
    pool: Pool
    optimizer: torch.optim.Optimizer
    engine: Engine
    validation: Validation | None
    cost: Cost | None

    def __init__(
        self, config: C, watchers: Sequence[Watcher[M]] = (), *, resume: bool = False
    ) -> None:
        config.check()
        config = fit_to_model(config)
        if config.run.folder is None:
            raise UserError("run.folder is not set")
        self.config = config
        self.folder: Path = config.run.folder
        self.watchers = list(watchers)
        self.resume = resume
        self.step = 0  # steps done
        self.checkpointed = 0  # steps done when the latest checkpoint was saved
        self.seconds = 0.0  # of training, over all sessions
        self._aside = {"validation": 0.0, "checkpoint": 0.0}  # seconds, since the last step
        self._time = TimeLimit(config.run.hours)
        self._stack = ExitStack()
        self._check_folder()

    # Each kind of run has its own:

    @staticmethod
    @abstractmethod
    def read_config(folder: Path) -> C:
        """The settings of the run in a folder."""

    @abstractmethod
    def _build(self, stack: ExitStack) -> None:
        """Make all parts of the run."""

    @abstractmethod
    def train_step(self) -> M:
        """Take one step, write its metrics, and save a checkpoint if one is due."""

    @abstractmethod
    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint holds besides weights, optimiser and engine, as plain JSON."""

    @abstractmethod
    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from such a state."""

    def _before_measuring(self) -> None:
        """Make sure that the engine samples from the present weights."""

    # All runs share:

    @staticmethod
    def rate(config: C, step: int) -> float:
        """The learning rate of a step, counted from 1."""
        end = config.schedule_end
        return learning_rate(config.update, min(step, end), end)

    def _open_policy(self, stack: ExitStack, *, deadline: float, anchored: bool = False) -> None:
        """Load the policy, and start what every run needs; `anchored` runs keep a copy of it."""
        config = self.config
        torch.manual_seed(config.run.seed)
        engine = config.engine_options
        plan = check_memory(
            config.policy,
            Sampler(engine["name"], engine["memory"], engine.get("sleep", True)),
            tokens=config.update.micro_batch_tokens or FIRST_ON_GPU,
            anchored=anchored,
        )
        self._reserve = int(MARGIN * plan.update) if plan else 0
        self.policy = load_policy(config.policy, context=sum(config.limits))
        self.device = next(self.policy.model.parameters()).device
        if self.device.type == "cpu":
            stack.enter_context(repeatable())
        self.computing = computing_in(config.policy, self.device)
        self.pool = stack.enter_context(Pool(config.run.workers, deadline=deadline))
        self.optimizer = make_optimizer(self.policy.model, config.update)

    def _open_engine(self, stack: ExitStack, names: Sequence[str]) -> None:
        """Start the engine, and plan how to measure accuracy on these environments."""
        config = self.config
        if any(family(name) == DIALOGUE for name in names):
            _ = self.policy.around_replies  # now, rather than after the first message
        self.engine = make_engine(
            self.policy,
            seed=config.run.seed,
            context=sum(config.limits),
            computing=self.computing,
            reserve=self._reserve,
            **config.engine_options,
        )
        stack.callback(self.engine.close)
        plan = plan_validation(config, names, on_cpu=self.device.type == "cpu")
        self.validation = plan and Validation(config, plan, self.policy, self.engine, self.pool)

    def _tell_gpus(self) -> None:
        """Say so if there are GPUs that the run does not use."""
        count = torch.cuda.device_count() if self.device.type == "cuda" else 1
        if count > 1:
            _log.warning(
                "this run uses one of %d GPUs, %s; rlve verl trains on several", count, self.device
            )

    @contextmanager
    def _learning(self, rate: float, limit: str) -> Generator[None]:
        """Learn at this rate; `limit` is a setting that can only be lowered in another run."""
        for parameters in self.optimizer.param_groups:
            parameters["lr"] = rate
        try:
            yield
        except torch.OutOfMemoryError as error:
            place = latest_checkpoint(self.folder)
            then = f"continues from {place}" if place else "begins again, as there is no checkpoint"
            raise UserError(
                f"step {self.step + 1}: out of memory in the update; lower "
                "update.micro-batch-tokens or set policy.gradient-checkpointing, together with "
                f"--resume {self.folder}, which {then}; or begin another run with a lower {limit}"
            ) from error

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            if exists := self.folder.is_dir():  # if another process works in it, fail at once
                stack.enter_context(locked(self.folder))
            try:
                self._build(stack)
            except torch.OutOfMemoryError as error:
                raise UserError(
                    f"{self.config.policy.model} and its optimiser do not fit into the memory that "
                    "is free on the GPU; free some of it, or set policy.lora-rank"
                ) from error
            self._tell_gpus()
            if not exists:  # only now: a run that cannot work leaves nothing behind
                self.folder.mkdir(parents=True, exist_ok=True)
                stack.enter_context(locked(self.folder))
            remove_drafts(self.folder)
            stored.remove_drafts(self.folder)
            before = self.read_config(self.folder) if self.resume else None
            with self._last_words():
                write_settings(self.folder, self.KIND, self.config)
                if before is not None:
                    self._restore()
                    self._tell_changes(before)
            self.cost = tell_cost(
                self.config, self.policy, self.engine, self.validation, done=self.step
            )
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def __iter__(self) -> Iterator[M]:
        """Take step after step until the last or a stop, and measure accuracy when it is due."""
        # What a measurement needs of run.hours: at first nothing, or a run could be stuck there.
        needed: tuple[Phase, ...] = ()
        measured = False  # then there is something to keep, even before the first step ends
        with interrupts(self._stop, at_once=lambda: not self.step and not measured) as interrupted:
            while True:
                if self.validation is not None and self._unmeasured(self.validation):
                    if interrupted():
                        break
                    if self._time.over(*needed):
                        _log.warning("run.hours leave no time to measure accuracy; --resume does")
                        break
                    with self._last_words(), self._time("measurement"):
                        self._validate(self.validation, interrupted)
                needed = "measurement", "checkpoint"
                if self.step >= self.config.run.steps or interrupted():
                    break
                if self._time.over("step", "checkpoint"):
                    break
                measured = self.validation is not None
                with self._last_words(), self._time("step"):
                    metrics = self.train_step()
                yield metrics
            if self.checkpointed < self.step:
                with self._last_words():
                    self.checkpoint()

    def _stop(self) -> None:
        """Tell everybody that the run will stop."""
        for watcher in self.watchers:
            watcher.stopping()

    @contextmanager
    def _last_words(self) -> Generator[None]:
        """If the run must stop, raise an error that says why, and which checkpoint is left."""
        try:
            yield
        except (DivergedError, NoNumbersError, OSError) as error:
            trouble = str(error)
            if isinstance(error, OSError):
                if error.errno not in FULL:
                    raise
                trouble = f"cannot write to {self.folder}: {error.strerror}"
            raise UserError(
                f"step {self.step + 1}: {trouble}; the run was stopped, and "
                f"{stored.last_good(self.folder)}"
            ) from error

    def finish(self) -> RunOutcome:
        """Train until the last step, or until stopped."""
        for _ in self:
            pass
        return RunOutcome(self.folder, self.step, interrupted=self.step < self.config.run.steps)

    def _stepped(self, metrics: M) -> None:
        """Write a step's metrics, save a checkpoint if one is due, and report to the watchers."""
        self._aside = dict.fromkeys(self._aside, 0.0)
        append_line(self.folder / METRICS, metrics)
        run = self.config.run
        if self.step % run.checkpoint_every == 0 or self.step == run.steps:
            self.checkpoint()
        for watcher in self.watchers:
            watcher.stepped(metrics)

    def _seconds(self, timer: "Timer") -> dict[str, float]:
        """The seconds of a step by phase, and of the run so far."""
        self.seconds += timer.total + sum(self._aside.values())
        return {**timer.phases, **self._aside, "in all": self.seconds}

    def _unmeasured(self, validation: Validation) -> bool:
        """Whether accuracy is due after the present step and has not been measured yet."""
        return validation.plan.due(self.step, self.config.run.steps) and all(
            record.step != self.step for record in read_validations(self.folder)
        )

    def _validate(self, validation: Validation, interrupted: Callable[[], bool]) -> None:
        """Measure accuracy.

        Ctrl-C breaks it off at the next output, because it can take long and nothing is lost: the
        resumed run measures again.
        """
        step = self.step
        self._before_measuring()

        def progress(done: int, total: int) -> None:
            if interrupted():
                raise _BrokenOff
            for watcher in self.watchers:
                watcher.validating(step, done, total)

        try:
            record = validation.measure(step, progress)
        except _BrokenOff:
            return
        append_line(self.folder / VALIDATION, record)
        self._aside["validation"] += record.seconds
        for watcher in self.watchers:
            watcher.validated(record)

    def _mark_seen(self, problems: Iterable[Problem]) -> None:
        """Have the test problems among those of a step counted."""
        if self.validation is not None:
            self.validation.mark_seen(problems)

    def checkpoint(self) -> Path:
        """Save a checkpoint of the run after its latest step."""
        begin = time.perf_counter()
        with self._time("checkpoint"):
            for name in self.WRITTEN_ON:  # a checkpoint must never be ahead of these files
                if (self.folder / name).exists():
                    to_disk(self.folder / name)
            state = RunState(
                step=self.step,
                seconds=self.seconds,
                parts=self.state_dict(),
                seen={} if self.validation is None else self.validation.state_dict(),
                version=__version__,
            )
            place = save_checkpoint(
                self.folder,
                self.policy,
                self.optimizer,
                self.engine.state_dict(),
                state,
                keep=self.config.run.keep_checkpoints,
            )
        self._aside["checkpoint"] += time.perf_counter() - begin
        self.checkpointed = self.step
        return place

    def _restore(self) -> None:
        """Continue from the latest undamaged checkpoint, or from the start if there is none."""
        place = self._sound_checkpoint()
        if place is not None:
            self._load(place)
        for name in self.WRITTEN_ON:  # later steps will be taken again
            keep_lines(self.folder / name, self._kept)
        known = read_validations(self.folder)
        if self.validation is not None and known:
            self.validation.go_on_from(known[0])
        for record in known:
            self._time.expect("measurement", record.seconds)

    def _tell_changes(self, before: C) -> None:
        """Say in what a resumed run differs from the one that was stopped."""
        for name in check_same(self.folder, before, self.config):
            _log.warning(
                "resuming with another %s; the run stays the same up to %s", name, COSTS[name]
            )
        step, steps = self.step, self.config.run.steps
        rate = self.rate(self.config, step + 1)
        if 0 < step < steps and rate != self.rate(before, step + 1):
            _log.warning(
                "the learning rate follows run.steps, which is %d instead of %d: it was %.3g at "
                "step %d, and is %.3g at step %d",
                *(steps, before.run.steps, self.rate(before, step), step, rate, step + 1),
            )

    def _kept(self, text: bytes) -> bool:
        """Whether a line belongs to a step that is done."""
        try:
            return msgspec.json.decode(text, type=_Line).step <= self.step
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            _log.warning("dropped a damaged line in %s: %s", self.folder, error)
            return False

    def _sound_checkpoint(self) -> Path | None:
        """The latest undamaged checkpoint; damaged ones are reported and set aside."""
        trouble = ""
        for place in reversed(checkpoints(self.folder)):
            if (damage := stored.damage(place)) is None:
                return place
            trouble = trouble or f"the checkpoint {place} is damaged ({damage})"
            aside = stored.set_aside(place)
            _log.warning(
                "the checkpoint %s is damaged (%s); renamed it to %s", place, damage, aside
            )
        if trouble:
            raise UserError(
                f"{trouble}, and there is no earlier one; restore it from a copy, or start again "
                "in another folder"
            )
        return None

    def _load(self, place: Path) -> None:
        """Restore the run as it was when a checkpoint was saved."""
        state = stored.load_state(place)
        tensors = stored.load_tensors(place)
        self.policy.load_weights(place / MODEL)
        self.optimizer.state.clear()  # or memory would hold the moments twice
        self.optimizer.load_state_dict(tensors["optimizer"])
        self.engine.load_state_dict(tensors["engine"])
        self.engine.update(self.policy.model)
        self.load_state_dict(state.parts)
        if self.validation is not None:
            self.validation.load_state_dict(state.seen)
        self.step = self.checkpointed = state.step
        self.seconds = state.seconds

    def _check_folder(self) -> None:
        """Check that the folder belongs to this run or to none."""
        if self.folder.is_dir():
            check_own(self.folder)
        if self.resume:
            check_same(self.folder, self.read_config(self.folder), self.config)
        else:
            check_free(self.folder)


def carry_out(
    kind: Callable[..., BaseRun[C, M]],
    config: C,
    watchers: Sequence[Watcher[M]],
    *,
    resume: bool,
    show: View | None,
) -> RunOutcome:
    """What train() and teach() do: a run of this kind, from start to end."""
    config = with_folder(config)
    preflight(config, resume=resume)
    with kind(config, watchers, resume=resume) as run, watch(run, show=show):
        return run.finish()


@contextmanager
def watch(run: BaseRun[Any, Any], *, show: View | None) -> Generator[None]:
    """Inside the block, let a view show the run, and send its metrics to run.log-to."""
    with ExitStack() as stack:
        run.watchers.append(stack.enter_context(Loggers(run.config, run.folder)))
        if show is not None:
            run.watchers.append(stack.enter_context(show(run)))
        yield


class _BrokenOff(Exception):
    """A measurement was interrupted."""


@contextmanager
def repeatable() -> Generator[None]:
    """Make torch add up in the same order every time, even on several threads."""
    before = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before)


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


class _Line(msgspec.Struct):
    """The field that all lines of growing files have."""

    step: int
