"""All the settings of a training run; `rlve train --help` lists them, presets.py fills them in.

The defaults are the paper's recipe for a model of 1.5 billion parameters.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar

from rlve.answers import Reading
from rlve.curricula import CurriculumSettings
from rlve.errors import UserError
from rlve.foundation.limits import (
    AtLeastOne,
    AtLeastTwo,
    AtLeastZero,
    BelowOne,
    BetweenZeroAndOne,
    NotNegative,
    Positive,
    UpToOne,
    check_limits,
)
from rlve.foundation.run_folders import read_settings
from rlve.foundation.tables import check_choices, name_in, one_of
from rlve.gym import Signal
from rlve.models.config import PolicyConfig
from rlve.models.engines.table import ENGINES
from rlve.train.advantages import NORMALISATIONS, check_rewards
from rlve.train.loss import LOSSES, find_loss

if TYPE_CHECKING:
    from rlve.train.teaching.config import TeachingConfig

C = TypeVar("C", bound="Config | TeachingConfig")


@dataclass(frozen=True)
class DataConfig(CurriculumSettings):
    """Training problems."""

    environments: tuple[str, ...] = ("C16",)
    """Names of environments and of collections: C1, C4, C16, C256, ALL; of dialogues: D4, D16."""
    dataset: Path | None = None
    """Train on the questions in this JSONL, JSON or Parquet file instead (plain RLVR), or on the
    problems that `rlve dataset` exported to it; every epoch uses them all again."""
    max_prompt_tokens: AtLeastOne = 4096
    """A problem with a longer prompt is replaced by another, and counted."""

    @property
    def code(self) -> list[str]:
        """Everything named here as MODULE:NAME or FILE.py:NAME."""
        return [name for name in (*self.environments, self.curriculum) if ":" in name]


@dataclass(frozen=True)
class RolloutConfig:
    """How outputs are sampled, and which of them are trained on."""

    problems: AtLeastOne = 128
    """Problems whose groups make up the batch of a step."""
    oversample: AtLeastOne = 384
    """Problems to sample at a time: more than a batch, because groups without signal are
    dropped."""
    rounds: AtLeastOne = 8
    """How many times a step may draw `oversample` problems before it settles for a smaller
    batch."""
    group: AtLeastTwo = 16
    """Rollouts per problem."""
    max_tokens: AtLeastOne = 24_576
    """The response limit; of a dialogue, that of all its messages and replies together."""
    temperature: Positive = 1.0
    """The sampling temperature."""
    signal: Signal = "reward"
    """What to train on and what dynamic sampling compares: the shaped reward; 0/1 correctness; or,
    as a control, 0/1 form, that is, whether there is a readable answer."""
    reading: Reading = "exact"
    """How to read answers, in training and when accuracy is measured: exactly, since the form is
    part of the task; or forgivingly, ignoring brackets, commas and other dressing."""
    partial: bool = True
    """When the batch is full, keep unfinished rollouts and resume them in the next step. Without
    this they are never counted, and these are the long ones: if wrong outputs are longer, the
    difficulty rises too early."""
    overlong: Literal["train", "mask", "penalise"] = "train"
    """What to do with outputs that reach the response limit: train on them like any other; mask
    them, that is, do not train on them; or lower the reward by up to 1 over the last tokens before
    the limit (DAPO's soft punishment)."""
    overlong_buffer: AtLeastOne = 4096
    """The number of tokens before the response limit over which `penalise` lowers the reward."""
    deadline: Positive = 10.0
    """Seconds allowed for judging an output or generating a problem."""
    engine: str = one_of(ENGINES, "auto")
    """The engine that samples."""
    slots: AtLeastOne | None = None
    """Rollouts that the engine samples at the same time; by default 64 on a CPU, and on a GPU
    1,024 if the response limit is at most that, and 512 if it is higher."""
    memory: BetweenZeroAndOne | None = None
    """The share of the GPU's memory (without a GPU, of the machine's) that the engine takes; the
    trainer needs the rest. By default 0.3 for vLLM; the paged engine takes at most half of what the
    update leaves."""
    sleep: bool = True
    """Have vLLM release its share of the GPU while the weights are updated."""

    @property
    def binary(self) -> bool:
        """Whether all rewards are 0 or 1."""
        return self.signal != "reward" and self.overlong != "penalise"


@dataclass(frozen=True)
class OptimiserConfig:
    """How a gradient changes the weights."""

    learning_rate: Positive | None = None
    """The peak learning rate, by default one for the size of the model: 2e-5 up to 0.3 billion
    parameters, 4e-6 up to 1, 2e-6 up to 3 (as in the paper), and 1e-6 above; 25 times that for
    adapters."""
    schedule: Literal["constant", "linear", "cosine"] = "constant"
    """The learning rate after the warm-up: constant, as in the paper, or falling, so that it would
    be zero one step after the last."""
    warmup_steps: AtLeastZero = 0
    """Steps over which the learning rate rises. Without a warm-up Adam takes full-sized first
    steps although the gradients are mostly noise, and a small model forgets a lot."""
    beta1: BelowOne = 0.9
    """Adam's decay rate for the mean gradient."""
    beta2: BelowOne = 0.98
    """Adam's decay rate for the mean squared gradient."""
    weight_decay: NotNegative = 0.01
    """AdamW's weight decay."""
    max_grad_norm: Positive = 1.0
    """Gradients with a larger norm are scaled down to it."""

    RATES: ClassVar[Sequence[tuple[float, float]]] = (
        (0.3e9, 2e-5),
        (1e9, 4e-6),
        (3e9, 2e-6),
        (inf, 1e-6),
    )
    """Learning rates for models of up to so many parameters."""
    ADAPTERS: ClassVar[float] = 25
    """Adapters learn at so many times the rate of all weights."""

    @property
    def peak(self) -> float:
        """The peak learning rate of a run, whose model is known."""
        if self.learning_rate is None:
            raise ValueError(
                "update.learning-rate depends on the model; rlve.train.model_limits finds one"
            )
        return self.learning_rate


@dataclass(frozen=True)
class UpdateConfig(OptimiserConfig):
    """How a batch changes the weights."""

    loss: str = name_in(LOSSES, "dapo")
    """The loss to minimise; MODULE:NAME is your own (docs/train.md)."""
    normalisation: str | None = one_of(NORMALISATIONS, None)
    """What advantages are divided by; by default what the loss divides them by."""
    kl: NotNegative = 0.0
    """The coefficient of a term that keeps the policy close to the initial one; 0 leaves it out."""
    clip_low: BelowOne = 0.2
    """The policy ratio is clipped to at least 1 minus this."""
    clip_high: NotNegative = 0.28
    """The policy ratio is clipped to at most 1 plus this."""
    gspo_clip_low: BelowOne = 3e-4
    """gspo's clip_low; its ratios are geometric means over outputs."""
    gspo_clip_high: NotNegative = 4e-4
    """gspo's clip_high."""
    cispo_highest: Positive = 5.0
    """cispo clips the policy ratio to at most this."""
    truncation: Positive = 2.0
    """The upper limit of the importance weights between the sampler and the trained model."""
    aggregation: Literal["token", "sample"] = "token"
    """token: every token in the batch counts equally (DAPO); sample: every output does."""
    updates_per_step: AtLeastOne = 1
    """Optimiser steps on each batch. With one, the policy ratio is 1, and nothing is clipped."""
    share_prompts: bool = True
    """Process a prompt once for all its outputs, where that saves work and the model allows it."""
    micro_batch_tokens: AtLeastOne | None = None
    """Tokens in one forward and backward pass, padding included; by default 16,384, and on a GPU as
    many as its memory allows, measured on the first steps."""


@dataclass(frozen=True)
class ValidationConfig:
    """How learning is measured: accuracy on a fixed set of test problems."""

    levels: tuple[AtLeastZero, ...] = (0, 2, 4)
    """The difficulties at which to measure accuracy."""
    problems: AtLeastOne | None = None
    """Problems per environment and level, the same ones every time; by default 8, and 2 on a
    CPU."""
    environments: AtLeastOne = 32
    """The most training environments to measure."""
    held_out: AtLeastZero = 0
    """The number of HELD_OUT environments to measure, or of D_HELD_OUT in training on dialogues;
    they are not trained on."""
    every: AtLeastZero | None = None
    """Steps between measurements; by default as often as `share` allows, up to 10 times.
    Accuracy is always measured before the first step and after the last; 0 turns it off."""
    share: Positive = 0.1
    """How many outputs measuring may sample, as a share of the outputs used for training: those
    that `rlve train` samples, or `rlve teach` shows."""
    temperatures: tuple[NotNegative, ...] | None = None
    """The temperatures at which to measure accuracy; by default the training temperature and
    0.6."""
    top_p: UpToOne = 0.95
    """Top-p at temperatures other than the training temperature, at which nothing is cut off."""

    def check(self) -> None:
        """Raise a UserError for settings that cannot work."""
        check_distinct("validation.levels", self.levels)
        check_distinct("validation.temperatures", self.temperatures)


@dataclass(frozen=True)
class RunConfig:
    """The run itself."""

    folder: Path | None = None
    """Where to write everything; by default a new folder in runs/."""
    steps: AtLeastOne = 1000
    """Training steps."""
    seed: int = 0
    """The seed for all random choices."""
    checkpoint_every: AtLeastOne = 50
    """Steps between checkpoints."""
    keep_checkpoints: AtLeastOne = 2
    """How many checkpoints to keep: the latest ones."""
    hours: Positive | None = None
    """Stop within this many hours, as Ctrl-C does, before a cluster kills the run."""
    samples_every: AtLeastOne = 1
    """Steps between stored samples of rollouts, or of what is taught. Verdicts are stored at every
    step."""
    sampled_groups: AtLeastOne = 8
    """Problems to store at such a step, with their prompts and outputs."""
    sampled_outputs: AtLeastOne = 4
    """Outputs to store for each of these problems: the best, the worst, and some others. Eight
    problems with four outputs each take 6 kB a step with nano, and 1 MB with outputs of 8,000
    tokens."""
    workers: AtLeastOne | None = None
    """Processes that generate problems and verify outputs; by default one per core."""
    log_to: tuple[Literal["wandb", "tensorboard"], ...] = ()
    """Also log the metrics here."""


@dataclass(frozen=True)
class Config:
    """All the settings of a training run."""

    PREFIX: ClassVar[str] = ""  # of the name of a new folder

    policy: PolicyConfig = field(default_factory=PolicyConfig)
    data: DataConfig = field(default_factory=DataConfig)
    rollout: RolloutConfig = field(default_factory=RolloutConfig)
    update: UpdateConfig = field(default_factory=UpdateConfig)
    validation: ValidationConfig = field(default_factory=ValidationConfig)
    run: RunConfig = field(default_factory=RunConfig)

    def check(self) -> None:
        """Raise a UserError for settings that cannot work, before any long work starts."""
        check_sections(self)
        rollout, update = self.rollout, self.update
        if rollout.oversample < rollout.problems:
            raise UserError(
                f"rollout.oversample ({rollout.oversample}) must be at least rollout.problems "
                f"({rollout.problems})"
            )
        if rollout.problems % update.updates_per_step:
            raise UserError(
                f"rollout.problems ({rollout.problems}) must divide into "
                f"update.updates-per-step ({update.updates_per_step}) equal parts"
            )
        if rollout.overlong_buffer > rollout.max_tokens and rollout.overlong == "penalise":
            raise UserError(
                f"rollout.overlong-buffer ({rollout.overlong_buffer:,}) must be at most "
                f"rollout.max-tokens ({rollout.max_tokens:,})"
            )
        if ":" not in update.loss:
            check_rewards(
                update.normalisation or find_loss(update.loss).normalisation, binary=rollout.binary
            )

    @property
    def code(self) -> list[str]:
        """Everything named here as MODULE:NAME or FILE.py:NAME."""
        return [*self.data.code, *([self.update.loss] if ":" in self.update.loss else [])]

    @property
    def limits(self) -> tuple[int, int]:
        """The most tokens of a prompt, and of an output."""
        return self.data.max_prompt_tokens, self.rollout.max_tokens

    def with_limits(self, prompt: int, output: int) -> Self:
        """The same settings with these limits."""
        return replace(
            self,
            data=replace(self.data, max_prompt_tokens=prompt),
            rollout=replace(self.rollout, max_tokens=output),
        )

    @property
    def schedule_end(self) -> int:
        """The step after which the learning rate would no longer change."""
        return self.run.steps

    @property
    def outputs_per_step(self) -> int:
        """The number of outputs in a step; measuring may cost a share of it."""
        return self.rollout.problems * self.rollout.group

    @property
    def engine(self) -> str:
        return self.rollout.engine

    @property
    def engine_options(self) -> dict[str, Any]:
        names = ("max_tokens", "slots", "temperature", "group", "memory", "sleep")
        return {"name": self.engine, **{name: getattr(self.rollout, name) for name in names}}

    @property
    def temperature(self) -> float:
        """The training temperature, which is also the first at which accuracy is measured."""
        return self.rollout.temperature

    @property
    def reading(self) -> Reading:
        """How answers are read, in training and when accuracy is measured."""
        return self.rollout.reading


def check_sections(config: "Config | TeachingConfig") -> None:
    """Raise a UserError for a setting that is beyond its limit, or names nothing."""
    for section in fields(config):
        settings = getattr(config, section.name)
        check_limits(f"{section.name}.", settings)
        check_choices(section.name, settings)
    config.policy.check()
    config.validation.check()


def check_distinct(name: str, values: Sequence[float] | None) -> None:
    """Raise a UserError if a setting has no value, or one twice."""
    if values is None:
        return
    if not values:
        raise UserError(f"{name} must be one or more numbers")
    if twice := [value for value in values if values.count(value) > 1]:
        raise UserError(f"{name} has {twice[0]} more than once")


def with_folder(config: C, name: str | None = None) -> C:
    """The same settings with a folder: their own, or a new one in runs/.

    A new one is called `name`, or else after the model.
    """
    if config.run.folder is not None:
        return config
    name = name or f"{config.PREFIX}{Path(config.policy.model).stem}"
    folder = Path("runs") / f"{name.lower()}-{datetime.now():%Y%m%d-%H%M%S}"
    return replace(config, run=replace(config.run, folder=folder))


def read_config(folder: Path) -> Config:
    """The settings of the run in a folder."""
    return read_run(folder, "train", Config)


def read_run(folder: Path, kind: str, record: type[C]) -> C:
    config = read_settings(folder, kind, record)
    return replace(config, run=replace(config.run, folder=folder))  # it may have been moved
