"""The training loop: collect a batch, update the weights, move the curriculum; again and again.

A run is a folder: config.json, metrics.jsonl (a line a step), rollouts.jsonl (samples),
curriculum.json (its state at the latest checkpoint), and checkpoints/. Interrupted at any moment,
it goes on from its latest checkpoint: with the same weights, random numbers, problems and partial
rollouts as if it had never stopped.
"""

# torch and transformers leave many of their types unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Protocol, TypeAlias

import msgspec
import torch

from rlve.collections import resolve
from rlve.curricula import AdaptiveCurriculum, Curriculum, StaticCurriculum
from rlve.errors import UserError
from rlve.files import append_line, pretty, write_whole
from rlve.models.engines import Engine
from rlve.models.engines.in_process import InProcessEngine
from rlve.models.policy import Policy, computing_in, load_policy
from rlve.pool import Pool
from rlve.stream import Stream
from rlve.train.advantages import group_advantages
from rlve.train.checkpoint import (
    latest_checkpoint,
    load_state,
    load_tensors,
    save_checkpoint,
)
from rlve.train.collect import Batch, Collector
from rlve.train.config import Config, DataConfig
from rlve.train.rlvr import DatasetStream, load_questions
from rlve.train.update import DivergedError, Row, Updater, learning_rate

Metrics: TypeAlias = dict[str, Any]

SAMPLED_GROUPS = 4  # whose rollouts are written down, every so many steps
WRITTEN_ON = ("metrics.jsonl", "rollouts.jsonl")  # files that grow with the run


class Watcher(Protocol):
    """What a run reports to: a live view, a logger."""

    def collecting(self, step: int, kept: int, finished: int) -> None:
        """Groups of the present step so far."""
        ...

    def stepped(self, metrics: Metrics) -> None:
        """A step is over."""
        ...


@dataclass
class Outcome:
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
) -> Outcome:
    """Train until the last step, or until Ctrl-C: then the step is finished and a checkpoint made.

    `on_interrupt` is called when Ctrl-C is pressed. A second Ctrl-C stops at once, and loses what
    came after the latest checkpoint.
    """
    config.check()
    folder = config.run.folder
    if folder is None:
        raise UserError("run.folder is not set")
    _check_folder(folder, config, resume=resume)
    with Pool(config.run.workers) as pool, interrupts(on_interrupt) as interrupted:
        run = Run(config, folder, pool)
        _claim(folder, config)  # what cannot work has been refused by now, and left nothing behind
        try:
            if resume:
                run.restore()
            while run.step < config.run.steps and not interrupted():
                metrics = run.train_step(watchers)
                for watcher in watchers:
                    watcher.stepped(metrics)
            if run.checkpointed < run.step:
                run.checkpoint()
        finally:
            run.engine.close()
    return Outcome(folder, run.step, interrupted=run.step < config.run.steps)


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


class Run:
    """A training run: its parts, and where it stands."""

    def __init__(self, config: Config, folder: Path, pool: Pool) -> None:
        self.config = config
        self.folder = folder
        self.step = 0  # steps done
        self.checkpointed = 0  # of them, those that the latest checkpoint holds
        self.seconds = 0.0  # of training, over all sessions
        self.checkpointing = 0.0  # seconds, since the last step
        torch.manual_seed(config.run.seed)
        data, rollout = config.data, config.rollout
        self.policy = load_policy(
            config.policy, context=data.max_prompt_tokens + rollout.max_tokens
        )
        self.device = next(self.policy.model.parameters()).device
        computing = computing_in(config.policy, self.device)
        self.stream = make_stream(config, self.policy, pool)
        self.curriculum = self.stream.curriculum
        trained = [p for p in self.policy.model.parameters() if p.requires_grad]
        self.optimizer = torch.optim.AdamW(
            trained,
            lr=config.update.learning_rate,
            betas=(config.update.beta1, config.update.beta2),
            weight_decay=config.update.weight_decay,
        )
        self.updater = Updater(
            self.policy.model,
            self.optimizer,
            config.update,
            temperature=rollout.temperature,
            computing=computing,
        )
        self.engine = make_engine(config, self.policy, computing)
        self.collector = Collector(
            self.stream,
            self.engine,
            pool,
            rollout,
            encode=self.policy.encode,
            decode=self.policy.decode,
            marker=self.policy.form.marker,
        )

    def train_step(self, watchers: Sequence[Watcher] = ()) -> Metrics:
        """One step; its metrics are written, and every so often a checkpoint."""
        timer = Timer()
        step = self.step + 1

        def progress(kept: int, finished: int) -> None:
            for watcher in watchers:
                watcher.collecting(step, kept, finished)

        with timer("rollouts"):
            batch = self.collector.collect(step, progress)
        with timer("update"):
            learnt = self._update(batch)
            self.engine.update(self.policy.model)
        levels = self._levels(batch)
        changes = self.curriculum.step()
        self.stream.look_ahead()
        self.step = step
        metrics = self._metrics(batch, learnt, levels)
        metrics["raised"] = {change.name: change.high for change in changes}
        if step % self.config.run.samples_every == 0 or step == 1:
            self._write_samples(batch)
        due = step % self.config.run.checkpoint_every == 0 or step == self.config.run.steps
        self.seconds += timer.total + self.checkpointing
        phases = {**timer.phases, "checkpoint": self.checkpointing}
        self.checkpointing = 0.0
        metrics["seconds"] = {**phases, "in all": self.seconds}
        append_line(self.folder / "metrics.jsonl", metrics)
        if due:
            self.checkpoint()
        return metrics

    def _update(self, batch: Batch) -> dict[str, float]:
        rows = [
            Row(rollout.prompt, rollout.tokens, rollout.logprobs, advantage)
            for group in batch.groups
            for rollout, advantage in zip(
                group.rollouts, group_advantages(self.collector.rewards(group)), strict=True
            )
        ]
        if not rows:  # no group had signal; the curriculum may still move
            return {}
        for parameters in self.optimizer.param_groups:
            parameters["lr"] = learning_rate(self.config.update, self.step + 1)
        try:
            return self.updater.update(rows)
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

    def _levels(self, batch: Batch) -> dict[str, list[bool]]:
        """The verdicts of this step at each environment's present highest level."""
        found: dict[str, list[bool]] = {}
        for group in batch.finished:
            if group.item.difficulty == self.curriculum.bounds(group.item.name)[1]:
                correct = [verdict.correct for verdict in group.verdicts]
                found.setdefault(group.item.name, []).extend(correct)
        return found

    def _metrics(
        self, batch: Batch, learnt: dict[str, float], levels: dict[str, list[bool]]
    ) -> Metrics:
        verdicts = [verdict for group in batch.finished for verdict in group.verdicts]
        rollouts = [rollout for group in batch.finished for rollout in group.rollouts]
        at_high = [correct for each in levels.values() for correct in each]
        return {
            "step": self.step,
            "reward": _mean(verdict.reward for verdict in verdicts),
            "accuracy": _mean(verdict.correct for verdict in verdicts),
            "accuracy_at_high": _mean(at_high),
            "ill_formed": _mean(not verdict.well_formed for verdict in verdicts),
            "truncated": _mean(rollout.ending == "length" for rollout in rollouts),
            "response_tokens": _mean(len(rollout.tokens) for rollout in rollouts),
            "tokens": sum(len(rollout.tokens) for rollout in rollouts),
            "prompts": len(batch.finished),
            "effective_prompt_ratio": batch.effective_prompt_ratio,
            "trained_groups": len(batch.groups),
            "cached_groups": len(self.collector.cache),
            **learnt,
            "bounds": {name: list(self.curriculum.bounds(name)) for name in self.curriculum.names},
            "accuracy_at_high_of": {name: fmean(levels[name]) for name in sorted(levels)},
            "redrawn": self.stream.redrawn,
        }

    def _write_samples(self, batch: Batch) -> None:
        for group in batch.finished[:SAMPLED_GROUPS]:
            item = group.item
            best = max(group.rollouts, key=lambda r: r.verdict.reward if r.verdict else -1)
            worst = min(group.rollouts, key=lambda r: r.verdict.reward if r.verdict else -1)
            append_line(
                self.folder / "rollouts.jsonl",
                {
                    "step": self.step,
                    "environment": item.name,
                    "difficulty": item.difficulty,
                    "seed": item.seed,
                    "prompt": item.problem.prompt(),
                    "reference": item.problem.reference(),
                    "rewards": [verdict.reward for verdict in group.verdicts],
                    "best": {"text": best.text, "verdict": msgspec.to_builtins(best.verdict)},
                    "worst": {"text": worst.text, "verdict": msgspec.to_builtins(worst.verdict)},
                },
            )

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
                "stream": self.stream.state_dict(),
                "collector": self.collector.state_dict(),
                "seconds": self.seconds,
                "bytes": {name: _size(self.folder / name) for name in WRITTEN_ON},
            },
            keep=self.config.run.keep_checkpoints,
        )
        write_whole(self.folder / "curriculum.json", pretty(self.curriculum.state_dict()))
        self.checkpointing += time.perf_counter() - begin
        self.checkpointed = self.step
        return place

    def restore(self) -> None:
        """Go on from the latest checkpoint; without one, from the start."""
        place = latest_checkpoint(self.folder / "checkpoints")
        if place is None:
            for name in WRITTEN_ON:
                (self.folder / name).unlink(missing_ok=True)
            return
        state = load_state(place)
        tensors = load_tensors(place)
        self.policy.load_weights(place / "model")
        self.optimizer.load_state_dict(tensors["optimizer"])
        self.engine.load_state_dict(tensors["engine"])
        self.engine.update(self.policy.model)
        self.stream.load_state_dict(state["stream"])
        self.collector.load_state_dict(state["collector"])
        self.step = self.checkpointed = state["step"]
        self.seconds = state["seconds"]
        for name, size in state["bytes"].items():  # what came later will come again
            if _size(self.folder / name) > size:
                os.truncate(self.folder / name, size)


def make_curriculum(data: DataConfig, group: int) -> Curriculum:
    """The curriculum that the settings describe."""
    names = resolve(data.environments)
    if data.static is not None:
        return StaticCurriculum(names, *data.static)
    return AdaptiveCurriculum(
        names, tau_acc=data.tau_acc, tau_num=data.tau_num or 8 * group, window=data.window
    )


def make_stream(config: Config, policy: Policy, pool: Pool) -> Stream | DatasetStream:
    """The problems that the settings describe."""
    data = config.data
    if data.dataset is not None:
        questions = load_questions(data.dataset)
        short = [q for q in questions if len(policy.encode(q)) <= data.max_prompt_tokens]
        if not short:
            raise UserError(
                f"no prompt of {data.dataset} has at most {data.max_prompt_tokens:,} tokens; "
                "raise data.max-prompt-tokens"
            )
        return DatasetStream(short, seed=config.run.seed, too_long=len(questions) - len(short))
    return Stream(
        make_curriculum(data, config.rollout.group),
        seed=config.run.seed,
        pool=pool,
        max_prompt_length=data.max_prompt_tokens,
        length=lambda text: len(policy.tokens_of(text)),
        ahead=config.rollout.oversample,
    )


def make_engine(config: Config, policy: Policy, computing: torch.autocast) -> Engine:
    """The engine that the settings ask for."""
    rollout = config.rollout
    if rollout.engine == "vllm":
        from rlve.models.engines.vllm import VllmEngine

        return VllmEngine(
            policy,
            max_tokens=rollout.max_tokens,
            slots=rollout.slots,
            temperature=rollout.temperature,
            memory=rollout.memory,
            seed=config.run.seed,
        )
    return InProcessEngine(
        policy.model,
        stop_tokens=policy.stop_tokens,
        max_tokens=rollout.max_tokens,
        slots=rollout.slots,
        temperature=rollout.temperature,
        seed=config.run.seed,
        computing=computing,
    )


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


def _check_folder(folder: Path, config: Config, *, resume: bool) -> None:
    """See that the folder is this run's own, or nobody's."""
    place = folder / "config.json"
    if resume:
        if not place.exists():
            raise UserError(f"{folder} is not the folder of a run: it has no config.json")
        theirs, mine = json.loads(place.read_text()), json.loads(pretty(config))
        if differing := _differing(theirs, mine):
            raise UserError(f"{folder} belongs to a run with other settings: {differing}")
    elif place.exists():
        raise UserError(f"{folder} holds a run already; go on with it by --resume {folder}")


def _claim(folder: Path, config: Config) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / "config.json", pretty(config))


def _differing(theirs: dict[str, Any], mine: dict[str, Any]) -> str:
    """The settings that differ and change what is computed; a run may be prolonged, say."""
    names = [f"{part}.{key}" for part in mine for key in mine[part] if part != "run"]
    found = [
        name
        for name in [*names, "run.seed"]
        for part, key in [name.split(".")]
        if mine[part][key] != theirs.get(part, {}).get(key)
    ]
    return ", ".join(found)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _mean(values: Iterable[float]) -> float | None:
    listed = [float(value) for value in values]
    return fmean(listed) if listed else None
