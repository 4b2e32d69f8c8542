"""What a run of teaching writes down, and how it is read, also while the run goes on.

metrics.jsonl      a TeachingMetrics for each step
validation.jsonl   a ValidationRecord for each time that accuracy was measured
examples.jsonl     a TaughtSample for some of the examples
"""

from pathlib import Path
from typing import Any, Final

import msgspec

from rlve.files import read_lines
from rlve.train.config import settings_in
from rlve.train.history import METRICS, ValidationRecord, read_validations

EXAMPLES: Final = "examples.jsonl"
PHASES: Final = ("examples", "update", "validation", "checkpoint", "other")


class TeachingMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """The metrics of one step."""

    step: int
    examples: int
    """Problems with their references in the batch."""
    prompt_tokens: int
    """Of all prompts of the batch; they are read, and carry no loss."""
    answer_tokens: int
    """Of all answers of the batch, mark-up and end included."""
    padding: float
    """The share of the tokens that went through the model that stood for nothing."""
    loss: float
    """The negative log-likelihood of an answer token, in nats, mean over the batch."""
    entropy: float
    """Of the policy's distribution over the next answer token, in nats, mean over the batch."""
    grad_norm: float
    """Before it is cut to update.max-grad-norm."""
    learning_rate: float
    left_out: dict[str, dict[str, int]]
    """Problems that could not be taught since the run began, by environment and reason."""
    seconds: dict[str, float]
    """By phase; "examples" is the time spent waiting for them, and "in all" the time from the start
    of the run to the end of the step."""

    @property
    def tokens(self) -> int:
        """That went through the model, padding not counted."""
        return self.prompt_tokens + self.answer_tokens


class TaughtSample(msgspec.Struct, frozen=True, kw_only=True):
    """An example that was written down: exactly what the model was given, and should write."""

    step: int
    environment: str
    difficulty: int
    seed: int
    prompt: str
    answer: str


class TeachingHistory(msgspec.Struct, frozen=True):
    """What the folder of a run of teaching holds."""

    folder: Path
    config: dict[str, dict[str, Any]]
    steps: list[TeachingMetrics]
    samples: list[TaughtSample]
    validations: list[ValidationRecord]


def read_teaching_history(folder: Path) -> TeachingHistory:
    """All that a run of teaching has recorded so far."""
    return TeachingHistory(
        folder,
        settings_in(folder),
        read_teaching_steps(folder),
        read_lines(folder / EXAMPLES, TaughtSample),
        read_validations(folder),
    )


def read_teaching_steps(folder: Path) -> list[TeachingMetrics]:
    """The metrics of the steps so far."""
    return read_lines(folder / METRICS, TeachingMetrics)
