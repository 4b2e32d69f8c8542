"""A simulated training run, in which everything but the policy is real.

The stream, the environments, their verifiers and the curricula are those of a real run. The policy
is simulated (simulated_policy.py). A simulation is a folder:

    config.json     a SimulationPlan
    metrics.jsonl   a SimulatedStep for each step of each setting
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

from rlve.curricula import Curriculum, CurriculumSettings
from rlve.errors import GenerationError, UserError
from rlve.files import append_line, read_lines
from rlve.gym import mean
from rlve.limits import AtLeastOne, AtLeastTwo, check_limits
from rlve.registry import environment
from rlve.run_folders import CONFIG, METRICS, read_settings, write_settings
from rlve.stream import Stream
from rlve.studies.simulated_policy import Learner, SimulatedPolicy, sample_group

if TYPE_CHECKING:
    from rlve.pool import Pool


SimulatedReward: TypeAlias = Literal["correct", "shaped"]


@dataclass(frozen=True, kw_only=True)
class SimulationPlan:
    """Everything that determines a simulation."""

    names: tuple[str, ...]
    settings: tuple[CurriculumSettings, ...]
    steps: AtLeastOne = 1000
    problems: AtLeastOne = 128  # drawn per step
    rollouts: AtLeastTwo = 16  # sampled per problem
    reward: SimulatedReward = "correct"  # what dynamic sampling compares
    policy: SimulatedPolicy = field(default_factory=SimulatedPolicy)
    seed: int = 0

    def check(self) -> None:
        """Raise a UserError for a plan that cannot be simulated, before any long work starts."""
        check_limits("", self)
        check_limits("", self.policy)
        if self.reward not in ("correct", "shaped"):
            raise UserError(f"the reward must be 'correct' or 'shaped', not {self.reward!r}")
        if not self.settings:
            raise UserError("there is nothing to simulate; give a curriculum or a static range")
        labels = self.labels()
        for index, (setting, label) in enumerate(zip(self.settings, labels, strict=True)):
            self.curriculum(setting)  # raises an error for a setting or a name that makes no sense
            if setting in self.settings[:index]:
                raise UserError(f"the setting {label} is listed twice")
            if label in labels[:index]:  # the steps of a setting are stored under its label
                raise UserError(
                    f"two settings have the same name, {label}; simulate them separately"
                )
        for name in self.names:
            if environment(name).generate(difficulty=0, seed=0).reference() is None:
                raise UserError(
                    f"{name} cannot be simulated: its problems have no reference answer"
                )

    def curriculum(self, setting: CurriculumSettings) -> Curriculum:
        """A new curriculum for one of the settings."""
        return setting.build(self.names, group=self.rollouts)

    def labels(self) -> tuple[str, ...]:
        """A short name for each setting, which says how it differs from the others."""

        def kind(setting: CurriculumSettings) -> tuple[Any, str]:
            return setting.static, setting.curriculum.rpartition(":")[2]

        def label(setting: CurriculumSettings) -> str:
            alike = [other for other in self.settings if kind(other) == kind(setting)]
            varying = [
                name
                for name in ("curriculum", "tau_acc", "tau_num", "window", "target", "rest")
                if len({getattr(other, name) for other in alike}) > 1
            ]
            values = (f"{name}={getattr(setting, name)}" for name in varying)
            return " ".join((setting.label(), *values))

        return tuple(map(label, self.settings))

    def adaptive_labels(self) -> list[str]:
        """The labels of the settings whose range moves."""
        return [
            label
            for setting, label in zip(self.settings, self.labels(), strict=True)
            if setting.static is None
        ]


class SimulatedStep(msgspec.Struct, frozen=True):
    """The results of one step of one setting; `high` and `skill` are in the order of the names."""

    setting: str
    step: int
    effective_prompt_ratio: float  # share of prompts whose group has non-identical rewards
    accuracy: float  # of all rollouts
    accuracy_at_high: float | None  # of the rollouts at the highest level; None if there were none
    high: list[int]  # h after the step
    skill: list[float]  # after the step
    redrawn: int = 0  # draws so far that gave no problem and were repeated
    kept: float | None = None  # accuracy at all levels ever mastered; None if there are none


@dataclass(frozen=True)
class Simulation:
    """A simulation and its history: label of a setting -> its steps, the same number for each."""

    plan: SimulationPlan
    history: Mapping[str, Sequence[SimulatedStep]]

    @property
    def steps(self) -> int:
        return len(next(iter(self.history.values())))

    def summaries(self) -> "list[SimulationSummary]":
        """The results of the settings, in order."""
        return [summarise(steps) for steps in self.history.values()]


def simulate(plan: SimulationPlan, pool: "Pool | None" = None) -> Iterator[SimulatedStep]:
    """Run all settings side by side: one step of each in turn.

    Every setting starts with the same policy and the same luck, so that only the curricula differ.
    The pool generates the problems; the results are the same without one.
    """
    plan.check()
    runs = [
        _Lane(plan, plan.curriculum(setting), label, pool)
        for setting, label in zip(plan.settings, plan.labels(), strict=True)
    ]
    return (run.step(step) for step in range(1, plan.steps + 1) for run in runs)


class _Lane:
    """One curriculum and the policy that practises under it."""

    def __init__(
        self, plan: SimulationPlan, curriculum: Curriculum, label: str, pool: "Pool | None"
    ) -> None:
        self.plan = plan
        self.label = label
        self.curriculum = curriculum
        self.stream = Stream(curriculum, seed=plan.seed, pool=pool, ahead=plan.problems)
        self.learner = Learner(plan.names, plan.policy, plan.seed)
        self.luck = Random(f"luck/{plan.seed}")

    def step(self, step: int) -> SimulatedStep:
        plan, curriculum, learner = self.plan, self.curriculum, self.learner
        effective = correct = correct_at_high = at_high = 0
        for item in self.stream.take(plan.problems):
            name, d = item.name, item.difficulty
            chance = learner.chance(name, d, self.luck.random())
            verdicts = sample_group(item.problem, chance, plan.rollouts, self.luck)
            right = [verdict.correct for verdict in verdicts]
            if plan.reward == "correct":
                rewards = [float(correct) for correct in right]
            else:
                rewards = [verdict.reward for verdict in verdicts]
            curriculum.observe_group(name, d, right, rewards)
            learner.practise(name, d, rewards, right)
            effective += min(rewards) != max(rewards)
            correct += sum(right)
            if d == curriculum.bounds(name)[1]:
                correct_at_high += sum(right)
                at_high += len(right)
        curriculum.step()
        learner.step()
        self.stream.look_ahead()
        return SimulatedStep(
            setting=self.label,
            step=step,
            effective_prompt_ratio=effective / plan.problems,
            accuracy=correct / (plan.problems * plan.rollouts),
            accuracy_at_high=correct_at_high / at_high if at_high else None,
            high=[curriculum.bounds(name)[1] for name in plan.names],
            skill=[round(learner.skill[name], 4) for name in plan.names],
            redrawn=sum(sum(kinds.values()) for kinds in self.stream.redrawn.values()),
            kept=learner.kept(),
        )


# Its results.


class SimulationSummary(msgspec.Struct, frozen=True):
    """The results of a setting; `at the end` is the last tenth of the steps."""

    setting: str
    high_mean: float  # of h after the last step, over environments
    high_min: int
    high_max: int
    accuracy_at_high: float | None  # at the end
    effective: float  # effective prompt ratio over all steps
    effective_at_end: float
    skill_mean: float  # after the last step, over environments
    redrawn: int  # draws that gave no problem and were repeated
    kept: float | None  # accuracy at all levels ever mastered, at the end


def summarise(steps: Sequence[SimulatedStep]) -> SimulationSummary:
    """Summarise all steps of one setting."""
    last = steps[-1]
    end = steps[-max(1, len(steps) // 10) :]
    accuracies = [step.accuracy_at_high for step in end if step.accuracy_at_high is not None]
    return SimulationSummary(
        setting=last.setting,
        high_mean=fmean(last.high),
        high_min=min(last.high),
        high_max=max(last.high),
        accuracy_at_high=mean(accuracies),
        effective=fmean(step.effective_prompt_ratio for step in steps),
        effective_at_end=fmean(step.effective_prompt_ratio for step in end),
        skill_mean=fmean(last.skill),
        redrawn=last.redrawn,
        kept=mean(step.kept for step in end if step.kept is not None),
    )


# The folder of a simulation.


def simulate_into(
    folder: Path,
    plan: SimulationPlan,
    pool: "Pool | None" = None,
    watch: Callable[[SimulatedStep], None] = lambda _: None,
) -> None:
    """Write a simulation to a new folder, step by step; `watch` is called with each step.

    If it is interrupted, the steps so far remain.
    """
    steps = simulate(plan, pool)  # a bad plan fails before there is a folder
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} already exists; choose another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot create the folder {folder}: {error.strerror}") from error
    write_settings(folder, "simulate", plan)
    try:
        for step in steps:
            append_line(folder / METRICS, step)
            watch(step)
    except GenerationError as error:
        raise UserError(str(error)) from error


def read_simulation(folder: Path) -> Simulation:
    """The simulation in a folder: the steps that all settings have finished."""
    plan = read_settings(folder, "simulate", SimulationPlan)
    history: dict[str, list[SimulatedStep]] = {label: [] for label in plan.labels()}
    for step in read_lines(folder / METRICS, SimulatedStep):
        if step.setting not in history:
            raise UserError(
                f"{folder / METRICS} has a setting {step.setting!r} that is not in {CONFIG}"
            )
        history[step.setting].append(step)
    done = min(map(len, history.values()), default=0)
    return Simulation(plan, {label: steps[:done] for label, steps in history.items()})
