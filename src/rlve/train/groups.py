"""A group: a problem, and the outputs sampled for it."""

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from rlve.contract import Problem, Verdict
from rlve.dialogue import Dialogue, conversation
from rlve.models.rollouts import Ending, Rollout, Span
from rlve.pool import Failure
from rlve.registry import environment
from rlve.stream import Item
from rlve.train.hints import Hint


@dataclass(eq=False)
class TrainingRollout(Rollout):
    """A rollout of a group."""

    text: str = ""
    judged: Verdict | Failure | None = None
    stale: int = 0
    """The number of its tokens that were sampled before the present training step."""
    wasted: int = 0
    """The number of its messages that a dialogue could not read."""


@dataclass(eq=False)
class Group:
    """A problem and the outputs sampled for it."""

    item: Item
    rollouts: list[TrainingRollout]
    step: int
    """The training step in which the first of its tokens was sampled."""
    hint: Hint | None = None
    """What its outputs begin with, and its rollouts' prompts end with."""
    weights: list[float] | None = None
    """What its outputs with a verdict weigh in the update, once that is known."""

    def text(self, rollout: Rollout, decode: Callable[[list[int]], str]) -> str:
        """An output as it is judged, with what it was given to begin with."""
        return output_text(self.item.problem, rollout, decode, self.hint)

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


def output_text(
    problem: Problem,
    rollout: Rollout,
    decode: Callable[[list[int]], str],
    hint: Hint | None = None,
) -> str:
    """An output as it is judged: the text or, if the problem answers back, all messages."""
    if isinstance(problem, Dialogue):
        return conversation(map(decode, rollout.messages))
    return decode(rollout.tokens if hint is None else hint.tokens + rollout.tokens)


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
    hint: Hint | None = None


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
        hint=group.hint,
    )
    return msgspec.to_builtins(state)


def group_from_state(state: dict[str, Any], decode: Callable[[list[int]], str]) -> Group:
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
        hint=saved.hint,
    )
    for rollout in group.rollouts:
        if rollout.ending is not None:
            rollout.text = group.text(rollout, decode)
    return group
