"""A rollout: one output for a problem, while and after it is sampled."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from rlve.contract import Verdict
from rlve.errors import UserError
from rlve.pool import Failure

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
    judged: Verdict | Failure | None = None
    text: str = ""
    stale: int = 0
    """How many of its tokens were sampled before the present training step."""

    @property
    def context(self) -> list[int]:
        """All that the next token follows."""
        return self.prompt + self.tokens


class NoNumbersError(UserError):
    """The model computes no numbers, so that what it samples means nothing."""


def check_numbers(rollouts: Iterable[Rollout]) -> None:
    """Refuse outputs of a model whose weights are broken: they look like any wrong answer."""
    for rollout in rollouts:
        if not math.isfinite(sum(rollout.logprobs)):
            raise NoNumbersError(
                "the policy's outputs are no numbers: the log-probability of a token it sampled is "
                "not finite; its weights are damaged, or too large for their precision"
            )
