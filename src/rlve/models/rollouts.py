"""A rollout: one output for a problem, while and after it is sampled."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from rlve.contract import Verdict
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
