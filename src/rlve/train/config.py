"""All settings of a training run; `rlve train --help` shows them, presets.py fills them in.

The defaults are the paper's recipe for a model of 1.5 billion parameters.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, TypeAlias

from rlve.answers import Reading
from rlve.curricula import CurriculumSettings
from rlve.errors import UserError
from rlve.files import read_record
from rlve.gym import Signal
from rlve.models.config import EngineName, PolicyConfig

Aggregation: TypeAlias = Literal["token", "sample"]
"""token: every token of the batch counts the same (DAPO). sample: every output counts the same."""

PolicyLoss: TypeAlias = Literal["dapo", "dr-grpo", "gspo", "cispo"]
"""What is minimised; loss.py says what each is."""


@dataclass(frozen=True)
class DataConfig(CurriculumSettings):
    """The problems it is trained on."""

    environments: tuple[str, ...] = ("C16",)
    """Names of environments and of collections: C1, C4, C16, C256, ALL."""
    dataset: Path | None = None
    """Train on the questions of this JSONL, JSON or Parquet file instead (plain RLVR), or on the
    problems that `rlve dataset` has exported to it; each comes again in every epoch."""
    max_prompt_tokens: int = 4096
    """A problem with a longer prompt is drawn again, and counted."""

    @property
    def code(self) -> list[str]:
        """What is named here as MODULE:NAME or FILE.py:NAME."""
        return [name for name in (*self.environments, self.curriculum) if ":" in name]


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
    """The sampling temperature."""
    signal: Signal = "reward"
    """What is trained on, and what dynamic sampling compares: the shaped reward, or 0/1."""
    reading: Reading = "exact"
    """How answers are read: exactly, as the form is part of the task; or forgivingly, also without
    the dress around them."""
    partial: bool = True
    """Resume, in the next step, rollouts that were not finished when the batch was full."""
    overlong: Literal["train", "mask", "penalise"] = "train"
    """What becomes of outputs that reach the response limit: they are trained on like all others;
    masked, that is not trained on; or the reward falls by up to 1 over the last tokens before the
    limit (DAPO's soft punishment)."""
    overlong_buffer: int = 4096
    """The tokens before the response limit over which `penalise` lets the reward fall."""
    max_staleness: int | None = None
    """Give up a group that was begun more than so many steps ago; by default none is."""
    deadline: float = 10.0
    """Seconds after which judging an output, or generating a problem, is given up."""
    engine: EngineName = "auto"
    """What samples: transformers in this process, row by row (in-process) or from a copy of the
    weights in half precision, by recorded steps (paged); or vLLM. auto is paged on a GPU."""
    slots: int = 512
    """Rollouts that the engine samples at once."""
    memory: float = 0.3
    """The share of the GPU's memory (without one, of the machine's) that vLLM takes; the trainer
    needs the rest."""
    sleep: bool = True
    """Let vLLM give its share of a GPU back while the weights are updated."""


@dataclass(frozen=True)
class OptimiserConfig:
    """How a gradient changes the weights."""

    learning_rate: float = 2e-6
    """The highest learning rate. The paper uses 2e-6 for 1.5B models and 1e-6 for 7B."""
    schedule: Literal["constant", "linear", "cosine"] = "constant"
    """The learning rate after the warm-up: constant, as in the paper, or falling to zero at the
    last step."""
    warmup_steps: int = 0
    """Steps over which the learning rate rises. Without them Adam's first steps are full-sized
    although its gradients are mostly noise, and a small model forgets much."""
    beta1: float = 0.9
    """Adam's decay rate for the mean of gradients."""
    beta2: float = 0.98
    """Adam's decay rate for the mean of squared gradients."""
    weight_decay: float = 0.01
    """AdamW's weight decay."""
    max_grad_norm: float = 1.0
    """Gradients with a larger norm are scaled down to it."""

    def check(self) -> None:
        """Raise a UserError for what cannot work."""
        if self.warmup_steps < 0:
            raise UserError(f"update.warmup-steps is at least 0, not {self.warmup_steps}")
        if self.learning_rate <= 0:
            raise UserError(f"update.learning-rate is above 0, not {self.learning_rate}")


@dataclass(frozen=True)
class UpdateConfig(OptimiserConfig):
    """How a batch changes the weights."""

    loss: PolicyLoss = "dapo"
    """dapo; dr-grpo: advantages are only centred, and the loss is divided by outputs x response
    limit; gspo: one policy ratio for a whole output; cispo: the policy ratio is clipped, and not
    the gradient."""
    kl: float = 0.0
    """The coefficient of a term that keeps the policy near its start; 0 leaves it out."""
    clip_low: float = 0.2
    """The policy ratio is clipped to at least 1 minus this."""
    clip_high: float = 0.28
    """The policy ratio is clipped to at most 1 plus this."""
    gspo_clip_low: float = 3e-4
    """The same for gspo, whose ratios are geometric means over outputs."""
    gspo_clip_high: float = 4e-4
    """The same for gspo."""
    cispo_highest: float = 5.0
    """The highest policy ratio that counts in cispo."""
    truncation: float = 2.0
    """Importance weights between sampler and trained model are cut to this."""
    aggregation: Aggregation = "token"
    """token: all tokens of the batch count the same (DAPO); sample: all outputs do."""
    updates_per_step: int = 1
    """Optimiser steps on each batch."""
    share_prompts: bool = True
    """Compute a prompt once for all of its outputs, where that pays and the model allows it."""
    micro_batch_tokens: int = 16_384
    """Tokens, padding included, in one forward and backward pass."""


@dataclass(frozen=True)
class ValidationConfig:
    """How learning is measured: accuracy on problems that are never trained on."""

    levels: tuple[int, ...] = (0, 2, 4)
    """The difficulties that accuracy is measured at."""
    problems: int = 8
    """Problems for each environment and level; always the same ones."""
    environments: int = 32
    """At most so many of the trained environments are measured."""
    held_out: int = 0
    """And so many of HELD_OUT, which are not trained on."""
    held_out_levels: tuple[int, ...] | None = None
    """The difficulties that those are measured at; by default the same."""
    held_out_problems: int | None = None
    """Problems for each of their levels; by default as many."""
    every: int | None = None
    """Steps between measurements; by default as often as the share allows, 10 times at most.
    Accuracy is always measured before the first step and after the last; 0: never."""
    share: float = 0.1
    """How many outputs may be sampled for it, as a share of those that training takes: sampled by
    `rlve train`, given by `rlve teach`."""
    temperatures: tuple[float, ...] | None = None
    """Accuracy is measured at each of these; by default at that of training, and at 0.6."""
    top_p: float = 0.95
    """Top-p at temperatures other than that of training, where nothing is cut off."""

    def check(self) -> None:
        """Raise a UserError for what cannot work."""
        check_at_least_one(
            {
                "validation.problems": self.problems,
                "validation.environments": self.environments,
            }
        )
        if self.share <= 0:
            raise UserError(f"validation.share is above 0, not {self.share}")
        for name, levels in (
            ("validation.levels", self.levels),
            ("validation.held-out-levels", self.held_out_levels),
        ):
            if levels is not None and (not levels or min(levels) < 0):
                raise UserError(f"{name} are difficulties 0, 1, 2, ..., at least one")
        if self.held_out_problems is not None:
            check_at_least_one({"validation.held-out-problems": self.held_out_problems})


@dataclass(frozen=True)
class RunConfig:
    """The run itself."""

    folder: Path | None = None
    """Where everything is written; by default a new folder in runs/."""
    steps: int = 1000
    """Training steps."""
    seed: int = 0
    """The seed of all random choices."""
    checkpoint_every: int = 50
    """Steps between checkpoints."""
    keep_checkpoints: int = 2
    """The latest so many are kept."""
    hours: float | None = None
    """Stop in time for this many hours, as after Ctrl-C, for a cluster that would kill the run."""
    samples_every: int = 10
    """Steps between samples, of rollouts or of what is taught, that are written down. Verdicts are
    written down in every step."""
    sampled_groups: int = 8
    """Problems of such a step whose prompts and outputs are written down."""
    sampled_outputs: int = 8
    """Outputs of each that are: the best, the worst, and others."""
    workers: int | None = None
    """Processes that generate problems and verify outputs; by default one for each core."""
    log_to: tuple[Literal["wandb", "trackio", "tensorboard"], ...] = ()
    """Send the metrics there, too."""

    def check(self) -> None:
        """Raise a UserError for what cannot work."""
        check_at_least_one(
            {
                "run.steps": self.steps,
                "run.checkpoint-every": self.checkpoint_every,
                "run.keep-checkpoints": self.keep_checkpoints,
                "run.samples-every": self.samples_every,
                "run.sampled-groups": self.sampled_groups,
                "run.sampled-outputs": self.sampled_outputs,
            }
        )
        if self.hours is not None and not self.hours > 0:
            raise UserError(f"run.hours is above 0, not {self.hours:g}")


@dataclass(frozen=True)
class Config:
    """A whole training run."""

    policy: PolicyConfig = field(default_factory=PolicyConfig)
    data: DataConfig = field(default_factory=DataConfig)
    rollout: RolloutConfig = field(default_factory=RolloutConfig)
    update: UpdateConfig = field(default_factory=UpdateConfig)
    validation: ValidationConfig = field(default_factory=ValidationConfig)
    run: RunConfig = field(default_factory=RunConfig)

    def check(self) -> None:
        """Raise a UserError for what cannot work, before any long work starts."""
        rollout, update = self.rollout, self.update
        self.policy.check()
        at_least_one = {
            "rollout.problems": rollout.problems,
            "rollout.rounds": rollout.rounds,
            "rollout.max-tokens": rollout.max_tokens,
            "rollout.slots": rollout.slots,
            "update.updates-per-step": update.updates_per_step,
            "update.micro-batch-tokens": update.micro_batch_tokens,
            "data.max-prompt-tokens": self.data.max_prompt_tokens,
        }
        check_at_least_one(at_least_one)
        self.run.check()
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
        if not 0 < rollout.overlong_buffer <= rollout.max_tokens and rollout.overlong == "penalise":
            raise UserError(
                f"rollout.overlong-buffer ({rollout.overlong_buffer:,}) is above 0 and at most "
                f"rollout.max-tokens ({rollout.max_tokens:,})"
            )
        if rollout.deadline <= 0:
            raise UserError(f"rollout.deadline is above 0, not {rollout.deadline}")
        if rollout.temperature <= 0:
            raise UserError(f"rollout.temperature is above 0, not {rollout.temperature}")
        self.validation.check()
        update.check()
        if update.kl < 0:
            raise UserError(f"update.kl is at least 0, not {update.kl}")

    @property
    def outputs_per_step(self) -> int:
        """The outputs that a step is made of; what measuring may cost is a share of them."""
        return self.rollout.problems * self.rollout.group

    @property
    def engine(self) -> EngineName:
        """What samples."""
        return self.rollout.engine

    @property
    def temperature(self) -> float:
        """The temperature of training, at which accuracy is measured first."""
        return self.rollout.temperature


def check_at_least_one(values: Mapping[str, int]) -> None:
    """Raise a UserError for the first of these settings that is below 1."""
    for name, value in values.items():
        if value < 1:
            raise UserError(f"{name} is at least 1, not {value}")


def with_folder(config: Config, name: str | None = None) -> Config:
    """The same in a new folder of runs/, named after the model or as it is said; or in its own."""
    if config.run.folder is not None:
        return config
    folder = new_folder(name or Path(config.policy.model).stem)
    return replace(config, run=replace(config.run, folder=folder))


def new_folder(name: str) -> Path:
    """A folder of runs/ that nobody has."""
    return Path("runs") / f"{name.lower()}-{datetime.now():%Y%m%d-%H%M%S}"


def read_config(folder: Path) -> Config:
    """The settings of the run in a folder."""
    if "examples" in settings_in(folder).get("data", {}):
        raise UserError(f"{folder} is a run of `rlve teach`: rlve teach --resume {folder}")
    config = read_record(folder / "config.json", Config, missing="it went away")
    return replace(config, run=replace(config.run, folder=folder))  # it may have been moved


def settings_in(folder: Path) -> dict[str, Any]:
    """The settings of any run, as plain JSON."""
    missing = f"{folder} is not the folder of a run: it has no config.json"
    return read_record(folder / "config.json", dict[str, Any], missing=missing)
