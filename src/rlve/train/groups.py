"""A group: a problem, the outputs sampled for it, and what they teach.

A finished group knows its rewards, whether they have signal, and its advantages (Group.outcome).
The collector, the curriculum, the update and the records read them there.
"""

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import msgspec

from rlve.contract import Problem, Verdict
from rlve.dialogue import Dialogue, conversation
from rlve.gym import group_rewards
from rlve.models.rollouts import Ending, Rollout, Span
from rlve.pool import Failure
from rlve.registry import environment
from rlve.stream import Item
from rlve.train.advantages import Normalisation, check_rewards, group_advantages
from rlve.train.config import RolloutConfig


@dataclass(eq=False)
class TrainingRollout(Rollout):
    """A rollout of a group."""

    text: str = ""
    judged: Verdict | Failure | None = None
    stale: int = 0
    """The number of its tokens that were sampled before the present training step."""
    wasted: int = 0
    """The number of its messages that a dialogue could not read."""


@dataclass(frozen=True)
class RewardRule:
    """How a run rewards outputs, and what it makes of the rewards of a group."""

    config: RolloutConfig
    normalisation: str | Normalisation = "deviation"
    """What advantages are divided by: a row of rlve.train.advantages.NORMALISATIONS."""

    def __post_init__(self) -> None:
        check_rewards(self.normalisation, binary=self.config.binary)

    def penalty(self, tokens: int) -> float:
        """From 0 down to -1 over the last tokens before the limit, if overlong is penalise."""
        if self.config.overlong != "penalise":
            return 0.0
        begins = self.config.max_tokens - self.config.overlong_buffer
        return min(0.0, (begins - tokens) / self.config.overlong_buffer)

    def masks(self, rollout: Rollout) -> bool:
        """Whether an output is not trained on, because it reached the response limit."""
        return self.config.overlong == "mask" and rollout.ending == "length"


class Outcome(NamedTuple):
    """What a finished group teaches; the lists have an entry for each output with a verdict."""

    rewards: list[float]
    """What the outputs are trained on: the reward that the run chose, less any penalty."""
    signal: bool
    """Whether their verdicts' rewards differ, as dynamic sampling compares them."""
    advantages: list[float]
    """How much better each is than the others; 0 if it is masked. Empty without signal."""


@dataclass(eq=False)
class Group:
    """A problem and the outputs sampled for it."""

    item: Item
    rollouts: list[TrainingRollout]
    step: int
    """The training step in which the first of its tokens was sampled."""
    rule: RewardRule

    def text(self, rollout: Rollout, decode: Callable[[list[int]], str]) -> str:
        """An output as it is judged."""
        return output_text(self.item.problem, rollout, decode)

    @property
    def finished(self) -> bool:
        return all(rollout.judged is not None for rollout in self.rollouts)

    @property
    def sampling(self) -> bool:
        return any(rollout.ending is None for rollout in self.rollouts)

    @property
    def started(self) -> bool:
        return any(rollout.tokens for rollout in self.rollouts)

    @property
    def judged(self) -> list[Verdict | Failure]:
        """The verdicts and failures of the rollouts judged so far."""
        return [rollout.judged for rollout in self.rollouts if rollout.judged is not None]

    @property
    def learnable(self) -> list[tuple[TrainingRollout, Verdict]]:
        """The rollouts with a verdict; if judging failed, there is nothing to learn."""
        return [(r, r.judged) for r in self.rollouts if isinstance(r.judged, Verdict)]

    @cached_property
    def outcome(self) -> Outcome:
        """Its rewards, whether they have signal, and its advantages."""
        if not self.finished:
            raise ValueError("a group has an outcome once all of its outputs are judged")
        rule, outputs = self.rule, self.learnable
        worth = group_rewards([verdict for _, verdict in outputs], rule.config.signal)
        rewards = [
            value + rule.penalty(len(rollout.tokens))
            for value, (rollout, _) in zip(worth.rewards, outputs, strict=True)
        ]
        if not worth.signal:
            return Outcome(rewards, False, [])
        advantages = [
            0.0 if rule.masks(rollout) else advantage
            for advantage, (rollout, _) in zip(
                group_advantages(rewards, rule.normalisation), outputs, strict=True
            )
        ]
        return Outcome(rewards, True, advantages)


def output_text(problem: Problem, rollout: Rollout, decode: Callable[[list[int]], str]) -> str:
    """An output as it is judged: the text or, if the problem answers back, all messages."""
    if isinstance(problem, Dialogue):
        return conversation(map(decode, rollout.messages))
    return decode(rollout.tokens)


class _RolloutState(msgspec.Struct):
    """Tokens and log-probabilities are 4-byte numbers in base64, since there can be millions."""

    tokens: bytes
    logprobs: bytes
    ending: Ending | None
    stale: int = 0
    verdict: Verdict | None = None
    failure: Failure | None = None
    given: list[Span] = []
    wasted: int = 0


class _GroupState(msgspec.Struct):
    position: int
    name: str
    difficulty: int
    seed: int
    parameters: dict[str, Any]
    step: int
    prompt: list[int]
    rollouts: list[_RolloutState]


def group_state(group: Group) -> dict[str, Any]:
    """A group as plain JSON, for a checkpoint."""
    item = group.item
    state = _GroupState(
        position=item.position,
        name=item.name,
        difficulty=item.difficulty,
        seed=item.seed,
        parameters=item.problem.parameters(),
        step=group.step,
        prompt=group.rollouts[0].prompt,
        rollouts=[
            _RolloutState(
                tokens=array("i", rollout.tokens).tobytes(),
                logprobs=array("f", rollout.logprobs).tobytes(),
                ending=rollout.ending,
                stale=rollout.stale,
                verdict=rollout.judged if isinstance(rollout.judged, Verdict) else None,
                failure=rollout.judged if isinstance(rollout.judged, Failure) else None,
                given=rollout.given,
                wasted=rollout.wasted,
            )
            for rollout in group.rollouts
        ],
    )
    return msgspec.to_builtins(state)


def group_from_state(
    state: dict[str, Any], decode: Callable[[list[int]], str], rule: RewardRule
) -> Group:
    """The group with this state; `decode` turns its tokens into text."""
    saved = msgspec.convert(state, _GroupState)
    problem = environment(saved.name).from_parameters(saved.parameters)
    group = Group(
        item=Item(saved.position, saved.name, saved.difficulty, saved.seed, problem),
        rollouts=[
            TrainingRollout(
                prompt=saved.prompt,
                tokens=array("i", rollout.tokens).tolist(),
                logprobs=array("f", rollout.logprobs).tolist(),
                ending=rollout.ending,
                given=rollout.given,
                judged=rollout.verdict or rollout.failure,
                stale=rollout.stale,
                wasted=rollout.wasted,
            )
            for rollout in saved.rollouts
        ],
        step=saved.step,
        rule=rule,
    )
    for rollout in group.rollouts:
        if rollout.ending is not None:
            rollout.text = group.text(rollout, decode)
    return group
