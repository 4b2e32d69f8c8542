"""The policy of a simulation: one number per environment, and how it answers and learns.

That number is its **skill**: the difficulty at which it solves half of the problems. It answers
with the reference or, if it fails, with a corrupted reference, and the verifier judges both as it
would judge a model's answer.

These are all the assumptions about the policy:

  chance    P(correct | d) = 1 / (1 + exp((d - skill) / width)), averaged over the problems of a
            level. Problems of one level differ in hardness, so that rollouts of one problem agree
            more than rollouts of different problems do; `evenness` says how little they differ.

  practice  A policy-gradient step on the skill. For a group of n rollouts with normalised
            advantages A_i, the gradient of (1/n) sum A_i log P(rollout i) with respect to the
            skill is proportional to (1/n) times the sum of A_i over the correct rollouts; if
            rewards are 0 or 1 and a share k is correct, that is sqrt(k (1 - k)). A group with
            identical rewards has no advantages and teaches nothing; a group that is half right
            teaches the most, namely `pace`. Skills move at the end of a step.

  failure   A failed rollout gives one of four wrong answers to the problem, each the reference
            with one random slip. Slips are made without looking at the verdict, and a slip that the
            verifier accepts counts as correct.

  forgetting  Off by default. A level that was practised is remembered to a degree m, 1 at first,
            and solved with the chance above times m. Each step removes the share `forgetting` of
            m, because updates are made for other problems. A group at that level restores a share
            of what is missing: half of it, the most, if the group is half right, and nothing if
            its rewards are identical.

  transfer  Off by default. A lesson in one environment raises the skill in every other environment
            of its family by this share of the gain.

The numbers of a real policy are not known before it is trained. Compare arms with each other,
and for more than one skill and pace, rather than reading a forecast off a single curve.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from rlve.contract import Problem, Verdict
from rlve.errors import UserError
from rlve.foundation.limits import LevelEstimate, NotNegative, Positive, Share, UpToOne
from rlve.registry import family

MASTERED = 0.9  # a level that was ever solved with this chance counts as mastered
WRONG_ANSWERS = 4  # distinct ones per problem: a policy tends to repeat its mistakes


@dataclass(frozen=True, kw_only=True)
class SimulatedPolicy:
    """Assumptions about the simulated policy; see the top of this module."""

    skill: LevelEstimate = 0.0
    """The difficulty at which it initially solves half of the problems, averaged over
    environments."""
    skill_spread: NotNegative = 1.0
    """How much environments differ in skill (standard deviation)."""
    pace: NotNegative = 0.005
    """Levels of skill gained from a group that is half right, averaged over environments."""
    pace_spread: NotNegative = 0.3
    """How much environments differ in pace (standard deviation of its logarithm)."""
    width: Positive = 1.0
    """The number of levels from 73% to 50% correct; the larger, the more gently accuracy falls."""
    evenness: UpToOne = 0.7
    """1: the problems of a level are equally hard; near 0: each is either certain or hopeless."""
    forgetting: Share = 0.0
    """The share of its ability at a level that it loses in every step; practice there restores
    it."""
    transfer: Share = 0.0
    """The share of what it learns in one environment that all others of the family also gain."""


class Learner:
    """A simulated policy in training: its skill in every environment, and how practice moves it."""

    def __init__(self, names: Sequence[str], policy: SimulatedPolicy, seed: int) -> None:
        self.policy = policy
        self.skill: dict[str, float] = {}
        self.pace: dict[str, float] = {}
        for name in names:
            rng = Random(f"{name}/{seed}")  # independent of the other environments
            self.skill[name] = rng.gauss(policy.skill, policy.skill_spread)
            self.pace[name] = policy.pace * math.exp(rng.gauss(0, policy.pace_spread))
        self.mastered: set[tuple[str, int]] = set()
        """Environments and levels that were ever solved with a chance of nine in ten."""
        self._gains = dict.fromkeys(names, 0.0)
        self._memory: dict[tuple[str, int], float] = {}
        self._lessons: dict[tuple[str, int], float] = {}  # of the present step
        self._relatives = {
            name: [other for other in names if other != name and family(other) == family(name)]
            for name in names
        }

    def chance(self, name: str, difficulty: int, quantile: float) -> float:
        """The chance of solving a problem at the given quantile of easiness in its level.

        Averaged over all quantiles it is 1 / (1 + exp((d - skill) / width)) exactly. The easiness
        follows the bridge distribution of Wang and Louis (2003), the one for which a logistic
        curve per problem averages to a logistic curve per level, flatter by the factor `evenness`.
        """
        even = self.policy.evenness
        quantile = min(max(quantile, 1e-12), 1 - 1e-12)
        ease = math.log(math.sin(even * math.pi * quantile))
        ease -= math.log(math.sin(even * math.pi * (1 - quantile)))
        logit = ((self.skill[name] - difficulty) / self.policy.width + ease) / even
        return _logistic(logit) * self._memory.get((name, difficulty), 1.0)

    def accuracy(self, name: str, difficulty: int) -> float:
        """The chance of solving a problem of a level, averaged over its problems."""
        logit = (self.skill[name] - difficulty) / self.policy.width
        return _logistic(logit) * self._memory.get((name, difficulty), 1.0)

    def kept(self) -> float | None:
        """The present accuracy at all levels ever mastered; None if there are none."""
        accuracies = [self.accuracy(*pair) for pair in sorted(self.mastered)]
        return math.fsum(accuracies) / len(accuracies) if accuracies else None

    def practise(
        self, name: str, difficulty: int, rewards: Sequence[float], right: Sequence[bool]
    ) -> None:
        """Learn from a group; the skill moves at the next step()."""
        taught = lesson(rewards, right)
        gain = self.pace[name] * taught
        self._gains[name] += gain
        for other in self._relatives[name] if self.policy.transfer else ():
            self._gains[other] += self.policy.transfer * gain
        if self.policy.forgetting:
            pair = name, difficulty
            self._lessons[pair] = self._lessons.get(pair, 0.0) + taught

    def step(self) -> None:
        """End a training step: lessons become skill, and some is forgotten."""
        for name, gain in self._gains.items():
            self.skill[name] += gain
            self._gains[name] = 0.0
        for pair in self._lessons.keys() | self._memory.keys():
            left = self._memory.get(pair, 1.0) * (1 - self.policy.forgetting)
            # A lesson of 1, from a group that is half right, restores half of what is missing.
            self._memory[pair] = 1 - (1 - left) * 0.5 ** max(0.0, self._lessons.get(pair, 0.0))
        self._lessons = {}
        for name, skill in self.skill.items():
            levels = range(max(0, math.ceil(skill)))
            self.mastered |= {(name, d) for d in levels if self.accuracy(name, d) >= MASTERED}


def _logistic(logit: float) -> float:
    return 0.5 + 0.5 * math.tanh(logit / 2)  # without overflow


def lesson(rewards: Sequence[float], right: Sequence[bool]) -> float:
    """How much a group teaches: 1 if half of its rewards are 0 and half are 1."""
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


def sample_group(problem: Problem, chance: float, n: int, rng: Random) -> list[Verdict]:
    """The verdicts on n answers to one problem, each meant to be right with the given chance.

    Equal answers in a group are judged once.
    """
    reference = problem.reference()
    if reference is None:
        raise UserError(f"{type(problem).__name__} made a problem without a reference answer")
    judged: dict[int, Verdict] = {}
    verdicts: list[Verdict] = []
    for _ in range(n):
        which = -1 if rng.random() < chance else int(rng.random() * WRONG_ANSWERS)
        if which not in judged:
            answer = reference if which < 0 else corrupt(reference, rng)
            judged[which] = problem.verify(f"<answer>{answer}</answer>")
        verdicts.append(judged[which])
    return verdicts


_TOKEN = re.compile(r"\S+")
_DIGIT = re.compile(r"[0-9]")


def corrupt(text: str, rng: Random) -> str:
    """The text with one slip, a wrong digit or a lost token; never the same text.

    Tokens are not swapped, since that would be no mistake if their order is free.
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
