"""The records a run stores, and how to read them, even during the run.

metrics.jsonl      a StepMetrics for each step
validation.jsonl   a ValidationRecord for each measurement of accuracy
groups.jsonl       a GroupRecord for every problem whose outputs were judged: all verdicts
rollouts.jsonl     a GroupSample for some of the problems, with texts of their outputs
"""

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from statistics import fmean
from typing import Any, Protocol

import msgspec

from rlve.contract import Verdict
from rlve.curricula import CurriculumSettings
from rlve.files import read_lines
from rlve.gym import GymMetrics
from rlve.run_folders import METRICS, ROLLOUTS, VALIDATION, settings_in

PHASES: tuple[str, ...] = ("rollouts", "update", "validation", "checkpoint", "other")


class TimedStep(Protocol):
    """The timing of a step of any run."""

    @property
    def step(self) -> int: ...
    @property
    def seconds(self) -> dict[str, float]: ...


class StepMetrics(GymMetrics, frozen=True, kw_only=True):
    """The metrics of one step; None if something could not be measured."""

    step: int
    tokens: int = 0
    """Tokens sampled in the outputs of all groups that finished."""
    response_tokens: float | None = None
    """The mean length of an output."""
    response_quantiles: dict[str, int] = msgspec.field(default_factory=dict[str, int])
    """Lengths of outputs: the median (p50), p90, p99 and max."""
    truncated: float | None = None
    """The share of outputs that reached the response limit."""
    same_answers: dict[str, dict[str, tuple[int, float]]] = msgspec.field(
        default_factory=dict[str, dict[str, tuple[int, float]]]
    )
    """Short answers that nearly all outputs for a problem gave, by environment: to how many
    problems, and their mean shaped reward."""
    trained_groups: int = 0
    """Groups in the batch."""
    cached_groups: int = 0
    """Groups waiting for a later step: partial rollouts, and those beyond the batch."""
    given_up_groups: int = 0
    """Groups dropped because they were started more than rollout.max-staleness steps ago."""
    staleness: float | None = None
    """The mean number of steps since the groups in the batch were started."""
    learning_rate: float | None = None
    loss: float | None = None
    grad_norm: float | None = None
    """The norm of the gradient, before it is clipped to update.max-grad-norm."""
    entropy: float | None = None
    """The mean entropy of the policy's next-token distribution over the batch, in nats."""
    entropy_coefficient: float | None = None
    """The coefficient of the entropy bonus, if update.entropy-target is set."""
    clipped: float | None = None
    """The share of tokens whose policy ratio was clipped."""
    truncated_weights: float | None = None
    """The share of tokens whose importance weight was truncated."""
    sampler_gap: float | None = None
    """Mean |log-probability when updated - when sampled| of tokens sampled in this step."""
    sampler_gap_resumed: float | None = None
    """The same for tokens sampled in earlier steps, by older weights."""
    kl: float | None = None
    """The divergence from the initial policy, if update.kl is set."""
    seconds: dict[str, float] = msgspec.field(default_factory=dict[str, float])
    """By phase; "in all" is the time from the start of the run to the end of the step."""


class Accuracy(msgspec.Struct, frozen=True, kw_only=True):
    """How many of the test problems were solved at one temperature."""

    temperature: float
    by_level: dict[str, dict[int, float]]
    """Environment -> level -> the share solved."""
    solved: dict[str, dict[int, str]] = {}
    """The same, problem by problem: 1 if it was solved, 0 if not."""
    ill_formed: float
    truncated: float
    tokens: int

    def mean(self, names: Sequence[str] | None = None) -> float:
        """The mean over environments and levels, for these environments or for all."""
        wanted = self.by_level if names is None else names
        return fmean(share for name in wanted for share in self.by_level[name].values())


class ValidationRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Accuracy on the test problems after a step; 0 is the start."""

    step: int
    problems: int
    """The number of problems, over all environments and levels."""
    held_out: list[str] = []
    """The environments among them that are not trained on."""
    measured: list[Accuracy]
    """At the training temperature, and at the evaluation temperature."""
    too_long: int = 0
    """Problems beyond the prompt limit; they count as not solved."""
    failures: int = 0
    """Outputs that could not be judged; they count as not solved."""
    seen: dict[str, dict[int, str]] | msgspec.UnsetType = msgspec.UNSET
    """Environment -> level -> problem by problem, 1 if it had also come up in training by then, 0
    if not. Left out at the start, and by early versions, which did not count them."""
    seconds: float

    @property
    def trained(self) -> list[str]:
        """The environments that are trained on."""
        return [name for name in self.measured[0].by_level if name not in self.held_out]

    @property
    def trained_problems(self) -> int:
        """The number of problems of those environments."""
        if solved := self.measured[0].solved:
            return sum(len(marks) for name in self.trained for marks in solved[name].values())
        # Early runs did not store that; every environment and level had the same number.
        cells = {name: len(levels) for name, levels in self.measured[0].by_level.items()}
        return self.problems * sum(cells[name] for name in self.trained) // sum(cells.values())

    @property
    def seen_problems(self) -> int:
        """The number of problems that had also come up in training."""
        if self.seen is msgspec.UNSET:
            return 0
        return sum(m.count("1") for levels in self.seen.values() for m in levels.values())


class GroupRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The verdicts on all outputs for one problem, without their texts."""

    step: int
    environment: str
    difficulty: int
    seed: int
    verdicts: str
    """A letter for each output: c correct, w wrong, i ill-formed, f judging failed."""
    rewards: list[float]
    """The outputs' rewards in the same order; 0 if judging failed."""
    tokens: list[int]
    """The lengths of the outputs."""
    truncated: list[int] = []
    """The indices of those that reached the response limit."""
    advantages: list[float] = []
    """The outputs' weights in the update, to three decimals: 0 if an output is masked or judging
    failed. Empty if the group has no signal."""


class SampledOutput(msgspec.Struct, frozen=True, omit_defaults=True):
    """A stored output of the policy, with its verdict."""

    text: str
    verdict: Verdict
    place: int | None = None
    """Its index in the group; early runs did not store that."""


class GroupSample(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A stored problem, with some of the outputs for it."""

    step: int
    environment: str
    difficulty: int
    seed: int = 0
    prompt: str
    reference: str | None
    rewards: list[float]
    best: SampledOutput
    worst: SampledOutput
    others: list[SampledOutput] = []
    """As many as run.sampled-outputs leaves room for."""

    @property
    def outputs(self) -> list[SampledOutput]:
        """All stored outputs, in the group's order if that is known."""
        outputs = [self.best, *self.others, *([self.worst] if self.worst != self.best else [])]
        return sorted(outputs, key=lambda output: -1 if output.place is None else output.place)


class History(msgspec.Struct, frozen=True):
    """The contents of a run's folder."""

    folder: Path
    config: dict[str, dict[str, Any]]
    steps: list[StepMetrics]
    samples: list[GroupSample]
    validations: list[ValidationRecord] = []

    @property
    def environments(self) -> list[str]:
        """The environments with levels of difficulty; none for a run on a dataset."""
        on_dataset = self.config.get("data", {}).get("dataset") is not None
        return [] if on_dataset or not self.steps else list(self.steps[-1].bounds)

    @property
    def group(self) -> int:
        """Rollouts per problem."""
        return self.config.get("rollout", {}).get("group", 1)

    @property
    def curriculum(self) -> CurriculumSettings:
        """How difficulties were chosen."""
        known = {field.name for field in fields(CurriculumSettings)}
        given = {key: value for key, value in self.config.get("data", {}).items() if key in known}
        return msgspec.convert(given, CurriculumSettings)

    @property
    def adaptive(self) -> bool:
        """Whether the difficulties adapt to the policy."""
        return bool(self.environments) and self.config.get("data", {}).get("static") is None


def read_history(folder: Path) -> History:
    """Everything a run has recorded so far."""
    return History(
        folder,
        settings_in(folder, "train"),
        read_steps(folder),
        read_lines(folder / ROLLOUTS, GroupSample),
        read_validations(folder),
    )


def read_steps(folder: Path) -> list[StepMetrics]:
    """The metrics of the steps so far."""
    return read_lines(folder / METRICS, StepMetrics)


def read_validations(folder: Path) -> list[ValidationRecord]:
    """All measurements of accuracy on the test problems so far."""
    return read_lines(folder / VALIDATION, ValidationRecord)


def step_seconds(steps: Sequence[TimedStep]) -> list[float]:
    """How long each step took."""
    ends = [step.seconds.get("in all", 0.0) for step in steps]
    return [end - begin for begin, end in zip([0.0, *ends], ends, strict=False)]


def phases(steps: Sequence[TimedStep], names: Sequence[str] = PHASES) -> dict[str, list[float]]:
    """The seconds of every step by phase; the last phase is what the others do not account for."""
    spent: dict[str, list[float]] = {phase: [] for phase in names}
    *measured, rest = names
    for step, total in zip(steps, step_seconds(steps), strict=True):
        for phase in measured:
            spent[phase].append(step.seconds.get(phase, 0.0))
        spent[rest].append(max(0.0, total - sum(spent[phase][-1] for phase in measured)))
    return spent
