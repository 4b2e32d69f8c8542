"""All settings of a training run; `rlve train --help` shows them, presets.py fills them in.

The defaults are the paper's recipe for a model of 1.5 billion parameters.
"""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TypeAlias

from rlve.errors import UserError
from rlve.files import read_record
from rlve.models.config import PolicyConfig

Aggregation: TypeAlias = Literal["token", "sample"]
"""token: every token of the batch counts the same (DAPO). sample: every output counts the same."""


@dataclass(frozen=True)
class DataConfig:
    """The problems it is trained on."""

    environments: tuple[str, ...] = ("C16",)
    """Names of environments and of collections: C1, C4, C16, C256, ALL."""
    dataset: Path | None = None
    """Train on the questions of this JSONL, JSON or Parquet file instead (plain RLVR)."""
    static: tuple[int, int] | None = None
    """Draw difficulties from this fixed range instead of adapting them."""
    tau_acc: float = 0.9
    """The accuracy at the highest level h from which on h rises."""
    tau_num: int | None = None
    """The rollouts at h after which that is decided; by default 8 x rollouts per problem."""
    window: int = 4
    """How many levels a range spans at most (d_delta)."""
    max_prompt_tokens: int = 4096
    """A problem with a longer prompt is drawn again, and counted."""


@dataclass(frozen=True)
class RolloutConfig:
    """How outputs are sampled, and which are trained on."""

    problems: int = 128
    """Problems whose groups make up the batch of a step."""
    oversample: int = 384
    """Problems that are sampled at once, because groups without signal are dropped."""
    rounds: int = 8
    """After so many times `oversample` problems a step makes do with what it has."""
    group: int = 16
    """Rollouts per problem."""
    max_tokens: int = 24_576
    """The response limit."""
    temperature: float = 1.0
    """Of the sampling."""
    signal: Literal["reward", "correct"] = "reward"
    """What is trained on, and what dynamic sampling compares: the shaped reward, or 0/1."""
    partial: bool = True
    """Resume, in the next step, rollouts that were not finished when the batch was full."""
    engine: Literal["in-process", "vllm"] = "in-process"
    """What samples: transformers in this process, or vLLM."""
    slots: int = 512
    """Rollouts that the engine samples at once."""
    memory: float = 0.3
    """The share of the GPU's memory (without one, of the machine's) that vLLM takes; the trainer
    needs the rest."""


@dataclass(frozen=True)
class UpdateConfig:
    """How a batch changes the weights."""

    learning_rate: float = 2e-6
    """Constant. 2e-6 for 1.5B models, 1e-6 for 7B, in the paper."""
    warmup_steps: int = 0
    """Steps over which the learning rate rises to that. Adam's first steps are as long as any, for
    gradients that are mostly noise; a small model forgets much by them."""
    beta1: float = 0.9
    """Of Adam."""
    beta2: float = 0.98
    """Of Adam."""
    weight_decay: float = 0.01
    """Of AdamW."""
    max_grad_norm: float = 1.0
    """Longer gradients are cut to this norm."""
    clip_low: float = 0.2
    """The policy ratio is clipped below 1 - this."""
    clip_high: float = 0.28
    """The policy ratio is clipped above 1 + this."""
    truncation: float = 2.0
    """Importance weights between sampler and trained model are cut to this."""
    aggregation: Aggregation = "token"
    """token: all tokens of the batch count the same (DAPO); sample: all outputs do."""
    updates_per_step: int = 1
    """Optimiser steps on each batch."""
    micro_batch_tokens: int = 16_384
    """Tokens, padding included, in one forward and backward pass."""


@dataclass(frozen=True)
class RunConfig:
    """The run itself."""

    folder: Path | None = None
    """Where everything is written; by default a new folder in runs/."""
    steps: int = 1000
    """Training steps."""
    seed: int = 0
    """Of all random choices."""
    checkpoint_every: int = 50
    """Steps between checkpoints."""
    keep_checkpoints: int = 2
    """The latest so many are kept."""
    samples_every: int = 10
    """Steps between samples of rollouts that are written down."""
    workers: int | None = None
    """Processes that generate problems and verify outputs; by default one for each core."""
    log_to: tuple[Literal["wandb", "trackio", "tensorboard"], ...] = ()
    """Send the metrics there, too."""


@dataclass(frozen=True)
class Config:
    """A whole training run."""

    policy: PolicyConfig = field(default_factory=PolicyConfig)
    data: DataConfig = field(default_factory=DataConfig)
    rollout: RolloutConfig = field(default_factory=RolloutConfig)
    update: UpdateConfig = field(default_factory=UpdateConfig)
    run: RunConfig = field(default_factory=RunConfig)

    def check(self) -> None:
        """Raise a UserError for what cannot work, before any long work starts."""
        rollout, update, run = self.rollout, self.update, self.run
        at_least_one = {
            "rollout.problems": rollout.problems,
            "rollout.rounds": rollout.rounds,
            "rollout.max-tokens": rollout.max_tokens,
            "rollout.slots": rollout.slots,
            "update.updates-per-step": update.updates_per_step,
            "update.micro-batch-tokens": update.micro_batch_tokens,
            "run.steps": run.steps,
            "run.checkpoint-every": run.checkpoint_every,
            "run.keep-checkpoints": run.keep_checkpoints,
            "run.samples-every": run.samples_every,
            "data.max-prompt-tokens": self.data.max_prompt_tokens,
        }
        for name, value in at_least_one.items():
            if value < 1:
                raise UserError(f"{name} is at least 1, not {value}")
        if rollout.group < 2:
            raise UserError(f"rollout.group is at least 2, not {rollout.group}")
        if rollout.oversample < rollout.problems:
            raise UserError(
                f"rollout.oversample ({rollout.oversample}) is at least rollout.problems "
                f"({rollout.problems})"
            )
        if rollout.problems % update.updates_per_step:
            raise UserError(
                f"rollout.problems ({rollout.problems}) does not divide into "
                f"update.updates-per-step ({update.updates_per_step}) equal parts"
            )
        if not 0 < rollout.memory < 1:
            raise UserError(f"rollout.memory is between 0 and 1, not {rollout.memory}")
        if rollout.temperature <= 0:
            raise UserError(f"rollout.temperature is above 0, not {rollout.temperature}")
        if update.warmup_steps < 0:
            raise UserError(f"update.warmup-steps is at least 0, not {update.warmup_steps}")
        if update.learning_rate <= 0:
            raise UserError(f"update.learning-rate is above 0, not {update.learning_rate}")


def read_config(folder: Path) -> Config:
    """The settings of the run in a folder."""
    missing = f"{folder} is not the folder of a run: it has no config.json"
    config = read_record(folder / "config.json", Config, missing=missing)
    return replace(config, run=replace(config.run, folder=folder))  # it may have been moved
