"""What flows between the stages of training: rollouts and groups."""

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from rlve.contract import Verdict
from rlve.registry import environment
from rlve.stream import Item

Ending: TypeAlias = Literal["stop", "length"]
"""Why a rollout ended: the policy ended it, or it reached the response limit."""


@dataclass(eq=False)
class Rollout:
    """One output for a problem, while and after it is sampled."""

    prompt: list[int]
    tokens: list[int] = field(default_factory=list[int])
    logprobs: list[float] = field(default_factory=list[float])
    """Under the weights that each token was sampled with; kept when a rollout is resumed later."""
    ending: Ending | None = None
    verdict: Verdict | None = None
    text: str = ""

    @property
    def context(self) -> list[int]:
        """All that the next token follows."""
        return self.prompt + self.tokens


@dataclass(eq=False)
class Group:
    """A problem and the outputs sampled for it."""

    item: Item
    rollouts: list[Rollout]
    step: int
    """The training step in which the first of its tokens was sampled."""

    @property
    def finished(self) -> bool:
        return all(rollout.verdict is not None for rollout in self.rollouts)

    @property
    def started(self) -> bool:
        return any(rollout.tokens for rollout in self.rollouts)

    @property
    def verdicts(self) -> list[Verdict]:
        """Of the rollouts that have been judged."""
        return [rollout.verdict for rollout in self.rollouts if rollout.verdict is not None]


def group_state(group: Group) -> dict[str, Any]:
    """A group as plain JSON, for a checkpoint."""
    item = group.item
    return {
        "item": [item.position, item.name, item.difficulty, item.seed],
        "parameters": item.problem.parameters(),
        "step": group.step,
        "prompt": group.rollouts[0].prompt,
        "rollouts": [
            {
                "tokens": rollout.tokens,
                "logprobs": rollout.logprobs,
                "ending": rollout.ending,
                "text": rollout.text,
                "verdict": rollout.verdict
                and [rollout.verdict.reward, rollout.verdict.correct, rollout.verdict.well_formed],
            }
            for rollout in group.rollouts
        ],
    }


def group_from_state(state: dict[str, Any]) -> Group:
    """The group that has this state."""
    position, name, difficulty, seed = state["item"]
    problem = environment(name).from_parameters(state["parameters"])
    return Group(
        item=Item(position, name, difficulty, seed, problem),
        rollouts=[
            Rollout(
                prompt=state["prompt"],
                tokens=each["tokens"],
                logprobs=each["logprobs"],
                ending=each["ending"],
                text=each["text"],
                verdict=each["verdict"] and Verdict(*each["verdict"]),
            )
            for each in state["rollouts"]
        ],
        step=state["step"],
    )
