"""A rollout: one output for a problem, during and after sampling."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from rlve.errors import UserError

Ending: TypeAlias = Literal["stop", "length"]
"""Why a rollout ended: the policy ended it, or it reached the response limit."""


@dataclass(eq=False)
class Rollout:
    """One output for a problem, during and after sampling."""

    prompt: list[int]
    tokens: list[int] = field(default_factory=list[int])
    logprobs: list[float] = field(default_factory=list[float])
    """Under the weights with which each token was sampled; kept if the rollout is resumed later."""
    ending: Ending | None = None

    @property
    def context(self) -> list[int]:
        """All tokens before the next one."""
        return self.prompt + self.tokens


class NoNumbersError(UserError):
    """The model's results are not finite, so its samples mean nothing."""


def check_numbers(rollouts: Iterable[Rollout]) -> None:
    """Refuse outputs of a model with broken weights, which would look like wrong answers."""
    for rollout in rollouts:
        if not math.isfinite(sum(rollout.logprobs)):
            raise NoNumbersError(
                "the log-probability of a token that the policy sampled is not a finite number; "
                "its weights are damaged, or too large for their precision"
            )
