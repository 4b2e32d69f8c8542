"""The records a run stores, and how to read them, even during the run.

metrics.jsonl      a StepMetrics for each step
validation.jsonl   a ValidationRecord for each measurement of accuracy
groups.jsonl       a GroupRecord for every problem whose outputs were judged: all verdicts
rollouts.jsonl     a GroupSample for some of the problems, with texts of their outputs

rlve.foundation.metrics says what the fields of metrics and measurements are.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

import msgspec

from rlve.contract import Verdict
from rlve.curricula import CurriculumSettings
from rlve.errors import UserError
from rlve.foundation.files import read_lines, read_measured
from rlve.foundation.limits import Bits
from rlve.foundation.run_folders import CONFIG, METRICS, ROLLOUTS, VALIDATION, settings_in
from rlve.gym import GymMetrics

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
    response_tokens: float | None = None
    response_quantiles: dict[str, int] = msgspec.field(default_factory=dict[str, int])
    truncated: float | None = None
    same_answers: dict[str, dict[str, tuple[int, float]]] = msgspec.field(
        default_factory=dict[str, dict[str, tuple[int, float]]]
    )
    repeated: dict[str, dict[int, int]] = msgspec.field(default_factory=dict[str, dict[int, int]])
    turns: float | None = None
    wasted_turns: float | None = None
    turn_tokens: list[float] = msgspec.field(default_factory=list[float])
    trained_groups: int = 0
    cached_groups: int = 0
    staleness: float | None = None
    learning_rate: float | None = None
    loss: float | None = None
    grad_norm: float | None = None
    entropy: float | None = None
    clipped: float | None = None
    truncated_weights: float | None = None
    sampler_gap: float | None = None
    sampler_gap_resumed: float | None = None
    kl: float | None = None
    seconds: dict[str, float] = msgspec.field(default_factory=dict[str, float])


Cell: TypeAlias = tuple[str, int]
"""An environment and a level."""

Marks: TypeAlias = dict[str, dict[int, Bits]]
"""By environment and level, 1 for each problem of which something is true, and 0 for the others."""


class Accuracy(msgspec.Struct, frozen=True, kw_only=True):
    """How many of the test problems were solved at one temperature."""

    temperature: float
    by_level: dict[str, dict[int, float]]
    solved: Marks = {}
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
    held_out: list[str] = []
    measured: list[Accuracy]
    too_long: int = 0
    failures: int = 0
    seen: Marks | msgspec.UnsetType = msgspec.UNSET
    seconds: float

    def __post_init__(self) -> None:
        """Refuse a record whose parts are not about the same problems: it is damaged."""
        if not self.measured or not self.trained:
            raise ValueError("it measures nothing")
        measured = [(_sizes(m.by_level).keys(), _sizes(m.solved)) for m in self.measured]
        levels, sizes = measured[0]
        seen = {} if self.seen is msgspec.UNSET else _sizes(self.seen)
        if (
            any(each != measured[0] for each in measured)
            or sizes.keys() not in (levels, set())
            or {*self.held_out, *self.measured[0].by_level} != {name for name, _ in levels}
            or not seen.items() <= sizes.items()
        ):
            raise ValueError("its parts are about different problems")

    @property
    def trained(self) -> list[str]:
        """The environments that are trained on."""
        return [name for name in self.measured[0].by_level if name not in self.held_out]

    @property
    def trained_problems(self) -> int:
        """The number of problems of those environments."""
        cells = {name: len(levels) for name, levels in self.measured[0].by_level.items()}
        return self.problems * sum(cells[name] for name in self.trained) // sum(cells.values())

    @property
    def seen_problems(self) -> int:
        """The number of problems that had also come up in training."""
        if self.seen is msgspec.UNSET:
            return 0
        return sum(m.count("1") for levels in self.seen.values() for m in levels.values())


def _sizes(values: Mapping[str, Mapping[int, object]]) -> dict[Cell, int]:
    """By environment and level, the number of problems that are marked."""
    return {
        (name, level): len(marks) if isinstance(marks, str) else 1
        for name, levels in values.items()
        for level, marks in levels.items()
    }


class GroupRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The verdicts on all outputs for one problem, without their texts."""

    step: int
    environment: str
    difficulty: int
    seed: int
    verdicts: str
    """A letter for each output: c correct, w wrong, r against a rule of the problem, i ill-formed,
    f judging failed."""
    rewards: list[float]
    """What the outputs are trained on, in the same order: the reward that rollout.signal chooses,
    less what rollout.overlong takes off; 0 if judging failed."""
    tokens: list[int]
    """The lengths of the outputs."""
    truncated: list[int] = []
    """The indices of those that reached the response limit."""
    signal: bool = False
    """Whether rewards of the verdicts differ, before anything is taken off for length. Only such
    groups are trained on."""
    advantages: list[float] = []
    """The outputs' weights in the update, to three decimals: 0 if an output is masked or judging
    failed. Empty if the group has no signal."""


class SampledOutput(msgspec.Struct, frozen=True, omit_defaults=True):
    """A stored output of the policy, with its verdict."""

    text: str
    verdict: Verdict
    """With the environment's own reward."""
    place: int
    """Its index in the group."""
    reward: float
    """What it is trained on, as in GroupRecord."""


class GroupSample(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A stored problem, with some of the outputs for it."""

    step: int
    environment: str
    difficulty: int
    seed: int
    prompt: str
    reference: str | None
    rewards: list[float]
    """Those of all outputs with a verdict, as in GroupRecord."""
    signal: bool = False
    best: SampledOutput
    worst: SampledOutput
    others: list[SampledOutput] = []
    """As many as run.sampled-outputs leaves room for."""

    @property
    def outputs(self) -> list[SampledOutput]:
        """All stored outputs, in the group's order."""
        outputs = [self.best, *self.others, *([self.worst] if self.worst != self.best else [])]
        return sorted(outputs, key=lambda output: output.place)


M = TypeVar("M", bound=TimedStep)
S = TypeVar("S")


class RunHistory(msgspec.Struct, Generic[M, S], frozen=True):
    """The contents of the folder of any run."""

    folder: Path
    config: dict[str, dict[str, Any]]
    steps: list[M]
    samples: list[S]
    validations: list[ValidationRecord] = []

    @property
    def seconds(self) -> float:
        """How long the run has taken, with the measurement after its last step."""
        if not self.steps:
            return 0.0
        last = self.steps[-1]
        after = sum(record.seconds for record in self.validations if record.step >= last.step)
        return last.seconds.get("in all", 0.0) + after


class History(RunHistory[StepMetrics, GroupSample], frozen=True):
    """The contents of the folder of a training run."""

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
        try:
            return msgspec.convert(self.config.get("data", {}), CurriculumSettings)
        except msgspec.ValidationError as error:
            raise UserError(f"{self.folder / CONFIG} is damaged: {error}") from None

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
    return read_measured(folder / METRICS, StepMetrics)


def read_validations(folder: Path) -> list[ValidationRecord]:
    """All measurements of accuracy on the test problems so far."""
    return read_measured(folder / VALIDATION, ValidationRecord)


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
