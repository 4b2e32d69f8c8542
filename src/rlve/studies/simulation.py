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

  failure   A failed rollout gives one of four wrong answers to the problem, each the reference
            with one random slip. The slip does not look at the verdict, and the verdict is used as
            it comes: a slip that the verifier accepts counts as correct.

Nothing carries over from one environment to another, and nothing is forgotten. The numbers of a
real policy are not known before it is trained: compare settings with each other, and for more than
one skill and pace, rather than reading a forecast off a single curve.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from statistics import fmean
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

from rlve.contract import Problem, Verdict
from rlve.curricula import AdaptiveCurriculum, Curriculum, StaticCurriculum
from rlve.errors import UserError
from rlve.registry import environment
from rlve.stream import Stream

if TYPE_CHECKING:
    from rlve.pool import Pool

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
    """Levels from 73% to 50% correct: the larger, the more gently accuracy falls."""
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
            return " ".join(("adaptive", *(f"{name}={getattr(setting, name)}" for name in varying)))

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
    redrawn: int = 0  # draws up to now that gave no problem, and were made again


def simulate(plan: Plan, pool: "Pool | None" = None) -> Iterator[Record]:
    """Run all settings side by side: a record per step and setting, settings in order.

    Every setting meets the same policy with the same luck, so that only the curricula differ. The
    pool generates the problems; the records are the same without one.
    """
    for name in plan.names:
        if environment(name).generate(difficulty=0, seed=0).reference() is None:
            raise UserError(f"{name} cannot be simulated: its problems have no reference answer")
    runs = [
        _Run(plan, setting.curriculum(plan.names), label, pool)
        for setting, label in zip(plan.settings, plan.labels(), strict=True)
    ]
    return (run.step(step) for step in range(1, plan.steps + 1) for run in runs)


class _Run:
    """One curriculum and the policy that practises under it."""

    def __init__(self, plan: Plan, curriculum: Curriculum, label: str, pool: "Pool | None") -> None:
        self.plan = plan
        self.label = label
        self.curriculum = curriculum
        self.stream = Stream(curriculum, seed=plan.seed, pool=pool, ahead=plan.problems)
        self.learner = Learner(plan.names, plan.policy, plan.seed)
        self.luck = Random(f"luck/{plan.seed}")

    def step(self, step: int) -> Record:
        plan, curriculum, learner = self.plan, self.curriculum, self.learner
        effective = correct = correct_at_high = at_high = 0
        for item in self.stream.take(plan.problems):
            name, d = item.name, item.difficulty
            chance = learner.chance(name, d, self.luck.random())
            verdicts = sample_group(item.problem, chance, plan.rollouts, self.luck)
            right = [verdict.correct for verdict in verdicts]
            if plan.reward == "correct":
                rewards = [float(each) for each in right]
            else:
                rewards = [verdict.reward for verdict in verdicts]
            for each in right:
                curriculum.observe(name, d, each)
            learner.practise(name, rewards, right)
            effective += min(rewards) != max(rewards)
            correct += sum(right)
            if d == curriculum.bounds(name)[1]:
                correct_at_high += sum(right)
                at_high += len(right)
        curriculum.step()
        learner.step()
        self.stream.look_ahead()
        return Record(
            setting=self.label,
            step=step,
            effective_prompt_ratio=effective / plan.problems,
            accuracy=correct / (plan.problems * plan.rollouts),
            accuracy_at_high=correct_at_high / at_high if at_high else None,
            high=[curriculum.bounds(name)[1] for name in plan.names],
            skill=[round(learner.skill[name], 4) for name in plan.names],
            redrawn=sum(sum(kinds.values()) for kinds in self.stream.redrawn.values()),
        )


class Learner:
    """The simulated policy: its skill in every environment, and how practice moves it."""

    def __init__(self, names: Sequence[str], policy: Policy, seed: int) -> None:
        self.policy = policy
        self.skill: dict[str, float] = {}
        self.pace: dict[str, float] = {}
        for name in names:
            rng = Random(f"{name}/{seed}")  # the same whichever other environments there are
            self.skill[name] = rng.gauss(policy.skill, policy.skill_spread)
            self.pace[name] = policy.pace * math.exp(rng.gauss(0, policy.pace_spread))
        self._gains = dict.fromkeys(names, 0.0)

    def chance(self, name: str, difficulty: int, quantile: float) -> float:
        """The chance to solve one problem, of the given quantile of easiness in its level.

        Averaged over all quantiles it is 1 / (1 + exp((d - skill) / width)) exactly. The easiness
        follows the bridge distribution of Wang and Louis (2003), the one for which a logistic
        curve per problem averages to a logistic curve per level, flatter by the factor `evenness`.
        """
        even = self.policy.evenness
        quantile = min(max(quantile, 1e-12), 1 - 1e-12)
        ease = math.log(math.sin(even * math.pi * quantile))
        ease -= math.log(math.sin(even * math.pi * (1 - quantile)))
        logit = ((self.skill[name] - difficulty) / self.policy.width + ease) / even
        return 0.5 + 0.5 * math.tanh(logit / 2)  # the logistic function, without overflow

    def practise(self, name: str, rewards: Sequence[float], right: Sequence[bool]) -> None:
        """Learn from a group; the skill moves at the next step()."""
        self._gains[name] += self.pace[name] * lesson(rewards, right)

    def step(self) -> None:
        """Close a training step: what was learnt becomes skill."""
        for name, gain in self._gains.items():
            self.skill[name] += gain
            self._gains[name] = 0.0


def lesson(rewards: Sequence[float], right: Sequence[bool]) -> float:
    """How much a group teaches: 1 if its rewards are 0 and 1, half of them each."""
    if min(rewards) == max(rewards):
        return 0.0
    n = len(rewards)
    mean = sum(rewards) / n
    deviation = math.sqrt(sum((reward - mean) ** 2 for reward in rewards) / n)
    return (
        2
        * sum(r - mean for r, correct in zip(rewards, right, strict=True) if correct)
        / (n * deviation)
    )


WRONG_ANSWERS = 4  # different ones per problem; what a policy gets wrong, it gets wrong repeatedly


def sample_group(problem: Problem, chance: float, n: int, rng: Random) -> list[Verdict]:
    """The verdicts on n answers to one problem, each of them tried to be right with that chance.

    Answers of a group that are equal are judged once.
    """
    reference = problem.reference()
    if reference is None:
        raise UserError(f"{type(problem).__name__} made a problem without a reference answer")
    judged: dict[int, Verdict] = {}
    verdicts: list[Verdict] = []
    for _ in range(n):
        which = -1 if rng.random() < chance else int(rng.random() * WRONG_ANSWERS)
        if which not in judged:
            answer = reference if which < 0 else corrupted(reference, rng)
            judged[which] = problem.verify(f"<answer>{answer}</answer>")
        verdicts.append(judged[which])
    return verdicts


_TOKEN = re.compile(r"\S+")
_DIGIT = re.compile(r"[0-9]")


def corrupted(text: str, rng: Random) -> str:
    """The text with one slip, a digit off or a token lost; never the same text.

    Tokens are not swapped: where their order is free, that would be no mistake at all.
    """
    tokens = list(_TOKEN.finditer(text))
    if not tokens:
        return str(rng.randrange(10))
    at = rng.randrange(len(tokens))
    token = tokens[at]
    if len(tokens) > 1 and rng.randrange(3) == 0:
        end = tokens[at + 1].start() if at + 1 < len(tokens) else len(text)
        return text[: token.start()] + text[end:]
    digits = list(_DIGIT.finditer(text))
    if not digits:
        return text[: token.end()] + token[0][-1] + text[token.end() :]
    digit = rng.choice(digits)
    other = str((int(digit[0]) + rng.randrange(1, 10)) % 10)
    return text[: digit.start()] + other + text[digit.end() :]


class Summary(msgspec.Struct, frozen=True):
    """What a setting came to; `at the end` is the last tenth of the steps."""

    setting: str
    high_mean: float  # of h after the last step, over environments
    high_min: int
    high_max: int
    accuracy_at_high: float | None  # at the end
    effective: float  # effective prompt ratio over all steps
    effective_at_end: float
    skill_mean: float  # after the last step, over environments
    redrawn: int  # draws that gave no problem, and were made again


def summarise(records: Sequence[Record]) -> Summary:
    """What all records of one setting come to."""
    last = records[-1]
    end = records[-max(1, len(records) // 10) :]
    accuracies = [r.accuracy_at_high for r in end if r.accuracy_at_high is not None]
    return Summary(
        setting=last.setting,
        high_mean=fmean(last.high),
        high_min=min(last.high),
        high_max=max(last.high),
        accuracy_at_high=fmean(accuracies) if accuracies else None,
        effective=fmean(record.effective_prompt_ratio for record in records),
        effective_at_end=fmean(record.effective_prompt_ratio for record in end),
        skill_mean=fmean(last.skill),
        redrawn=last.redrawn,
    )
