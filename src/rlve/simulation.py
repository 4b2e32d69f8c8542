"""A rehearsal of a training run, in which everything is real but the policy.

The stream, the environments, their verifiers and the curricula are those of a real run. The policy
is simulated by one number per environment, its **skill**: the difficulty at which it solves half
of the problems. It answers with the reference or, if it fails, with a corrupted reference, and the
verifier judges both as it would judge a model.

What is assumed of the policy, and nothing else is:

  chance    P(correct | d) = 1 / (1 + exp((d - skill) / width)), averaged over the problems of a
            level. Problems of one level differ in hardness, so that rollouts of one problem agree
            more than rollouts of different problems do; `evenness` says how little they differ.

  practice  One step of policy gradient on the skill. For a group of n rollouts with normalised
            advantages A_i, the gradient of (1/n) sum A_i log P(rollout i) with respect to the
            skill is proportional to (1/n) times the sum of A_i over the correct rollouts; if
            rewards are 0 or 1 and a share k is correct, that is sqrt(k (1 - k)). A group of
            identical rewards has no advantages and teaches nothing; a group that is half right
            teaches most, namely `pace`. Skills move at the end of a step.

Nothing carries over from one environment to another, and nothing is forgotten. The numbers of a
real policy are not known before it is trained: compare settings with each other, and for more than
one skill and pace, rather than reading a forecast off a single curve.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Literal, TypeAlias

import msgspec

from rlve.curriculum import AdaptiveCurriculum, Curriculum, StaticCurriculum
from rlve.environment import Problem, Verdict
from rlve.errors import UserError
from rlve.registry import environment

Reward: TypeAlias = Literal["correct", "shaped"]


@dataclass(frozen=True, kw_only=True)
class Policy:
    """What is assumed of the simulated policy; see the top of this module."""

    skill: float = 0.0
    """Difficulty at which it solves half of the problems at first, on average over environments."""
    skill_spread: float = 1.0
    """How far environments differ in that (standard deviation)."""
    pace: float = 0.005
    """Levels of skill gained from a group that is half right, on average over environments."""
    pace_spread: float = 0.3
    """How far environments differ in that (standard deviation of its logarithm)."""
    width: float = 1.0
    """Levels from 50% to 73% correct; the larger, the more gently accuracy falls with difficulty."""
    evenness: float = 0.7
    """1: problems of a level are equally hard; near 0: each is either sure or hopeless."""


@dataclass(frozen=True)
class Adaptive:
    """A setting of Algorithm 1."""

    tau_acc: float
    tau_num: int
    window: int

    def curriculum(self, names: Iterable[str]) -> Curriculum:
        return AdaptiveCurriculum(
            names, tau_acc=self.tau_acc, tau_num=self.tau_num, window=self.window
        )


@dataclass(frozen=True)
class Static:
    """A range of difficulties that never moves."""

    low: int
    high: int

    def curriculum(self, names: Iterable[str]) -> Curriculum:
        return StaticCurriculum(names, self.low, self.high)


Setting: TypeAlias = Adaptive | Static


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All that determines a simulation; what cannot be simulated is a UserError here."""

    names: tuple[str, ...]
    settings: tuple[Setting, ...]
    steps: int = 1000
    problems: int = 128  # drawn per step
    rollouts: int = 16  # sampled per problem
    reward: Reward = "correct"  # what makes the rewards of a group differ
    policy: Policy = field(default_factory=Policy)
    seed: int = 0

    def __post_init__(self) -> None:
        for what, least in (("steps", 1), ("problems", 1), ("rollouts", 2)):
            if getattr(self, what) < least:
                raise UserError(f"{what} must be at least {least}, not {getattr(self, what)}")
        if self.reward not in ("correct", "shaped"):
            raise UserError(f"the reward is 'correct' or 'shaped', not {self.reward!r}")
        policy = self.policy
        for what in ("skill", "skill_spread", "pace", "pace_spread", "width", "evenness"):
            if not math.isfinite(getattr(policy, what)):
                raise UserError(f"{what} must be a number, not {getattr(policy, what)}")
        for what in ("skill_spread", "pace", "pace_spread"):
            if getattr(policy, what) < 0:
                raise UserError(f"{what} must not be negative, as {getattr(policy, what)} is")
        if policy.width <= 0:
            raise UserError(f"width must be above 0, not {policy.width}")
        if not 0 < policy.evenness <= 1:
            raise UserError(f"evenness must be above 0 and at most 1, not {policy.evenness}")
        if not self.settings:
            raise UserError("nothing to simulate: there is neither an adaptive nor a static range")
        for index, setting in enumerate(self.settings):
            setting.curriculum(self.names)  # raises on a setting or a name that makes no sense
            if setting in self.settings[:index]:
                raise UserError(f"the setting {self.labels()[index]} is listed twice")
        for name in self.names:
            low = max((s.low for s in self.settings if isinstance(s, Static)), default=0)
            if environment(name).generate(difficulty=low, seed=0).reference() is None:
                raise UserError(f"{name} has problems without a reference to answer with")

    def labels(self) -> tuple[str, ...]:
        """A short name for each setting, that says how it differs from the others."""
        adaptive = [setting for setting in self.settings if isinstance(setting, Adaptive)]
        varying = [
            name
            for name in ("tau_acc", "tau_num", "window")
            if len({getattr(setting, name) for setting in adaptive}) > 1
        ]

        def label(setting: Setting) -> str:
            if isinstance(setting, Static):
                return f"static [{setting.low}, {setting.high}]"
            return " ".join(
                ("adaptive", *(f"{name}={getattr(setting, name)}" for name in varying))
            )

        return tuple(map(label, self.settings))


class Record(msgspec.Struct, frozen=True):
    """What one step of one setting showed; `high` and `skill` are in the order of Plan.names."""

    setting: str
    step: int
    effective_prompt_ratio: float  # share of prompts whose group has non-identical rewards
    accuracy: float  # of all rollouts
    accuracy_at_high: float | None  # of the rollouts at the highest level; None: none was drawn
    high: list[int]  # h after the step
    skill: list[float]  # after the step
