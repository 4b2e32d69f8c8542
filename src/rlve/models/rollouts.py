"""A rollout: one output for a problem, during and after sampling.

If the problem answers back, it is a conversation, and still one sequence of tokens: the policy's
messages, with a reply between each and the next.

    prompt   tokens
    -------  m m m r r r r m m r r r r m m m        m: sampled; r: given

The replies were not sampled, so they carry no loss. What was sampled is never tokenised again.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from rlve.errors import UserError

Ending: TypeAlias = Literal["stop", "length"]
"""Why a rollout ended: the policy ended it, or it reached the response limit."""

Span: TypeAlias = tuple[int, int]
"""The first of some tokens, and the first after them."""


@dataclass(eq=False)
class Rollout:
    """One output for a problem, during and after sampling."""

    prompt: list[int]
    tokens: list[int] = field(default_factory=list[int])
    logprobs: list[float] = field(default_factory=list[float])
    """Under the weights with which each token was sampled; kept if the rollout is resumed later."""
    ending: Ending | None = None
    given: list[Span] = field(default_factory=list[Span])
    """Where replies are among the tokens; their log-probabilities mean nothing."""

    @property
    def context(self) -> list[int]:
        """All tokens before the next one."""
        return self.prompt + self.tokens

    @property
    def begin(self) -> int:
        """Where its last message begins."""
        return self.given[-1][1] if self.given else 0

    @property
    def messages(self) -> list[list[int]]:
        """The tokens that were sampled, message by message."""
        begins = [0, *(end for _, end in self.given)]
        ends = [*(begin for begin, _ in self.given), len(self.tokens)]
        return [self.tokens[a:b] for a, b in zip(begins, ends, strict=True)]

    @property
    def length(self) -> int:
        """The number of tokens that were sampled."""
        return len(self.tokens) - sum(end - begin for begin, end in self.given)

    def limit(self, max_tokens: int, context: int | None) -> int:
        """The most tokens it can have, within the response limit and a context."""
        if context is None:
            return max_tokens
        return max(1, min(max_tokens, context - len(self.prompt)))

    def hear(self, reply: Sequence[int], limit: int) -> None:
        """Continue after a reply, unless that leaves no token within the limit."""
        if len(self.tokens) + len(reply) >= limit:
            self.ending = "length"
            return
        self.given.append((len(self.tokens), len(self.tokens) + len(reply)))
        self.tokens += reply
        self.logprobs += [0.0] * len(reply)
        self.ending = None


def sampled(tokens: Sequence[int], given: Iterable[Span]) -> Sequence[int]:
    """The indices of the tokens that were sampled."""
    replies = {index for span in given for index in range(*span)}
    if not replies:
        return range(len(tokens))
    return [index for index in range(len(tokens)) if index not in replies]


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
