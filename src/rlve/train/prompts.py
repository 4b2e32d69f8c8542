"""The tokens of prompts, between being measured and being sampled from."""

from rlve.contract import Problem
from rlve.models.policy import Policy


class PromptTokens:
    """Hands the tokens of a prompt from the stream that measures it to whoever samples from it.

    The stream asks for the length of every prompt that it draws, and so has it tokenised. Without
    this, a prompt that is short enough would be tokenised once more. `most` is how many may wait:
    those that are too long are never asked for.
    """

    def __init__(self, policy: Policy, most: int) -> None:
        self._policy = policy
        self._most = most
        self._measured: dict[str, list[int]] = {}  # by text, the oldest first

    def length(self, text: str) -> int:
        """The number of tokens of a problem's text in the policy's format."""
        tokens = self._measured[text] = self._policy.tokens_of(text)
        while len(self._measured) > self._most:
            del self._measured[next(iter(self._measured))]
        return len(tokens)

    def take(self, problem: Problem) -> list[int]:
        """The tokens of a problem's prompt: those that were measured, or new ones."""
        if problem.marked:  # its text says how to mark an answer, so formats put it differently
            return self._policy.encode(problem)
        measured = self._measured.pop(problem.prompt(), None)
        return self._policy.encode(problem) if measured is None else measured
